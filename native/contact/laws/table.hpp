// All contact laws. A new law is its own file in this folder, included here, and its name in the list; what it must have is in
// law.hpp. Its number is the place in the list.
#pragma once
#include <tuple>

#include "contact/laws/compliant.hpp"
#include "contact/laws/least_constraint.hpp"
#include "contact/laws/pseudo_coulomb.hpp"
#include "contact/laws/rigid.hpp"
#include "contact/laws/visco_elastic_sole.hpp"
#include "contact/world.hpp"

namespace tarsus::TARSUS_ISA {

// Which parameter of a law is its coefficient of friction.
template <class Law>
consteval int place_of_friction() {
  int place = 0;
  for (const char* name : Law::kParameters) {
    bool same = true;
    for (int k = 0; same && k < 9; ++k) same = name[k] == "friction"[k];
    if (same) return place;
    ++place;
  }
  return -1;
}

template <template <class> class... Law>
struct LawList {
  static constexpr int kCount = sizeof...(Law);
  static constexpr LawRow kRow[] = {{Law<double>::kName, Law<double>::kSolved, sizeof(Law<double>) / sizeof(double),
                                     Law<double>::kParameters, place_of_friction<Law<double>>(), Law<double>::kVoigt}...};
  static_assert(((sizeof(Law<double>) == sizeof(double) * (sizeof(Law<double>::kParameters) / sizeof(char*))) && ...),
                "a law is a structure of its parameters");
  static_assert(((place_of_friction<Law<double>>() >= 0) && ...), "a law has a parameter 'friction'");
  static_assert(((sizeof(Law<double>) <= sizeof(double) * kMostLawParameters) && ...));

  // f of the law of that number, made of the parameters of a surface.
  template <int k = 0, class T, class F>
  TARSUS_INLINE static auto visit(int number, const T* parameter, F f) {
    using This = std::tuple_element_t<k, std::tuple<Law<T>...>>;
    if constexpr (k + 1 == kCount) {
      return f(read<This>(parameter));
    } else {
      return number == k ? f(read<This>(parameter)) : visit<k + 1>(number, parameter, f);
    }
  }

 private:
  template <class L, class T>
  TARSUS_INLINE static L read(const T* parameter) {
    L law;
    std::memcpy(static_cast<void*>(&law), parameter, sizeof(L));
    return law;
  }
};

using Laws = LawList<Compliant, PseudoCoulomb, ViscoElasticSole, Rigid, LeastConstraint>;
static_assert(Laws::kCount <= 32, "Contact::laws has a bit for each");

}  // namespace tarsus::TARSUS_ISA
