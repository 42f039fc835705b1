// A joint law without knots that is the same for all robots, read from Python objects as a controller returns them: this is the
// short way, and whatever it does not take goes through the tables of src/tarsus/simulation/runs/joint_tables.py, which also word
// what is wrong.
#pragma once
#include <vector>

#include "bindings/entries.hpp"

namespace tarsus {

class ConstantLaw {
 public:
  // What a law does not tell: the reference pose, limits, which degrees of freedom are actuated, and which have no difference of
  // angles and thus no kp.
  bool read_model(Entries& e, const Model& m) {
    nq_ = m.nq, nv_ = m.nv;
    reference_ = e.needed<double>("reference", nq_), limited_ = e.needed<double>("limited", nv_);
    actuated_ = e.needed<int>("actuated", nv_), turning_ = e.needed<int>("turning", nv_);
    free_.assign(nv_, kUnlimited);
    now_.assign(4 * nv_ + nq_, 0.0), next_ = now_;
    return e.good();
  }

  // Changes `law` where the numbers are plain and fit; false, without an error, where they do not, and nothing has changed.
  // Arguments: kp, kd, q, v, tau, gravity, limited.
  bool set(PyObject* const* args, JointLaw& law) {
    double *kp = next_.data(), *kd = kp + nv_, *v = kd + nv_, *tau = v + nv_, *q = tau + nv_;
    if (!gains(args[0], kp) || !gains(args[1], kd) || !numbers(args[2], nq_, reference_, q) ||
        !numbers(args[3], nv_, nullptr, v) || !numbers(args[4], nv_, nullptr, tau)) {
      return false;
    }
    for (size_t k = 0; k < nv_; ++k) {
      if (turning_[k] && kp[k] > 0.0) return false;
    }
    next_.swap(now_);
    law.kp = kp, law.kd = kd, law.q = q, law.v = v, law.tau = tau;
    law.limit = args[6] == Py_True ? limited_ : free_.data();
    law.gravity = args[5] == Py_True, law.actuated = actuated_, law.knots = law.gain_knots = 1, law.first = law.spacing = 0.0;
    law.gain_stride = law.q_stride = law.v_stride = law.tau_stride = 0;
    return true;
  }

 private:
  static constexpr double kUnlimited = 1e300;

  static bool finite(double x) { return x - x == 0.0; }

  // A vector of n finite numbers; `missing` (zeros where it is null) for None.
  static bool numbers(PyObject* given, size_t n, const double* missing, double* to) {
    if (given == Py_None) {
      for (size_t k = 0; k < n; ++k) to[k] = missing ? missing[k] : 0.0;
      return true;
    }
    auto* a = reinterpret_cast<PyArrayObject*>(given);
    if (!PyArray_Check(given) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(a)) return false;
    if (PyArray_NDIM(a) != 1 || static_cast<size_t>(PyArray_DIM(a, 0)) != n) return false;
    const auto* x = static_cast<const double*>(PyArray_DATA(a));
    for (size_t k = 0; k < n; ++k) {
      if (!finite(x[k])) return false;
      to[k] = x[k];
    }
    return true;
  }

  // The same, not negative; one number is that of all actuated degrees of freedom.
  bool gains(PyObject* given, double* to) const {
    if (PyFloat_Check(given) || PyLong_Check(given)) {
      const double x = PyFloat_AsDouble(given);
      if (PyErr_Occurred()) return PyErr_Clear(), false;  // more than fits
      for (size_t k = 0; k < nv_; ++k) to[k] = actuated_[k] ? x : 0.0;
      return finite(x) && x >= 0.0;
    }
    if (given == Py_None || !numbers(given, nv_, nullptr, to)) return false;
    for (size_t k = 0; k < nv_; ++k) {
      if (to[k] < 0.0) return false;
    }
    return true;
  }

  size_t nq_ = 0, nv_ = 0;
  const double *reference_ = nullptr, *limited_ = nullptr;
  const int *actuated_ = nullptr, *turning_ = nullptr;
  std::vector<double> free_, now_, next_;  // kp, kd, v, tau, q; `now_` is what acts
};

}  // namespace tarsus
