// The "base" codes of Buschmann 2014, figures 3.3 to 3.6 and table 3.1: "a straightforward application of the equations
// without further optimization" (footnote 23), for trees of revolute joints about z. Vectors of a body are stacked as in the
// text, rotation first, in its own axes at its origin. Accelerations are spatial ones, which changes b_i and h_i against
// the text but not M_i, C_ip and J_J; gravity is an acceleration of the ground.
#include "matrix.hpp"
#include "solve.hpp"

namespace {

struct Tree {
  std::vector<int> parent;   // -1 for the ground
  std::vector<Matrix> A, r;  // of the joint in the parent's axes at zero angle: 3 x 3, 3 x 1
  std::vector<Matrix> M;     // of the bodies, 6 x 6
  Matrix gravity{3, 1};
  int bodies() const { return static_cast<int>(parent.size()); }
};

// What the first forward recursion leaves for each body.
struct Motion {
  std::vector<Matrix> C, b, h;  // C_ip, velocity terms of the acceleration and of the forces
};

const Matrix kJoint = [] {
  Matrix J(6, 1);
  J(2, 0) = 1.0;
  return J;
}();

Matrix ground_acceleration(const Tree& tree) {
  Matrix a(6, 1);
  a.put(3, 0, -1.0 * tree.gravity);
  return a;
}

const Matrix& of_parent(const Tree& tree, const std::vector<Matrix>& bodies, const Matrix& ground, int i) {
  return tree.parent[i] < 0 ? ground : bodies[tree.parent[i]];
}

Matrix part(const Matrix& x, int row) {
  Matrix result(3, 1);
  for (int i = 0; i < 3; ++i) result(i, 0) = x(row + i, 0);
  return result;
}

// C_ip = [A, 0; -A r~, A] (2.75), with A from the parent's to the body's axes.
Matrix transfer(const Tree& tree, int i, double q) {
  Matrix turn(3, 3);
  turn(0, 0) = turn(1, 1) = std::cos(q), turn(0, 1) = std::sin(q), turn(1, 0) = -std::sin(q), turn(2, 2) = 1.0;
  const Matrix A = turn * tree.A[i].transpose();
  Matrix C(6, 6);
  C.put(0, 0, A), C.put(3, 0, -1.0 * (A * skew(tree.r[i]))), C.put(3, 3, A);
  return C;
}

// V x, which maps motions to their rate in a frame that moves with V; its negative transpose does so for forces.
Matrix cross(const Matrix& V) {
  Matrix result(6, 6);
  const Matrix w = skew(part(V, 0));
  result.put(0, 0, w), result.put(3, 0, skew(part(V, 3))), result.put(3, 3, w);
  return result;
}

Motion forward_recursion(const Tree& tree, const double* q, const double* v) {
  Motion motion;
  std::vector<Matrix> V;
  const Matrix rest(6, 1);
  for (int i = 0; i < tree.bodies(); ++i) {
    motion.C.push_back(transfer(tree, i, q[i]));
    V.push_back(motion.C[i] * of_parent(tree, V, rest, i) + v[i] * kJoint);
    motion.b.push_back(cross(V[i]) * (v[i] * kJoint));
    motion.h.push_back(-1.0 * (cross(V[i]).transpose() * (tree.M[i] * V[i])));
  }
  return motion;
}

// Algorithm 4 with (3.54).
Matrix linear(const Tree& tree, const double* q, const double* v, const Matrix& tau) {
  const int n = tree.bodies();
  const Motion motion = forward_recursion(tree, q, v);
  std::vector<Matrix> M = tree.M, h = motion.h, P(n, Matrix(1, 6));
  Matrix p(n, 1), vdot(n, 1);
  for (int i = n - 1; i >= 0; --i) {
    const Matrix& C = motion.C[i];
    const double inverse = 1.0 / (kJoint.transpose() * M[i] * kJoint)(0, 0);
    P[i] = -inverse * (kJoint.transpose() * M[i] * C);
    p(i, 0) = inverse * (tau(i, 0) - (kJoint.transpose() * (M[i] * motion.b[i] + h[i]))(0, 0));
    if (tree.parent[i] < 0) continue;
    const Matrix K = M[i] * (C + kJoint * P[i]);
    const Matrix k = M[i] * (p(i, 0) * kJoint + motion.b[i]) + h[i];
    M[tree.parent[i]] = M[tree.parent[i]] + C.transpose() * K;
    h[tree.parent[i]] = h[tree.parent[i]] + C.transpose() * k;
  }
  std::vector<Matrix> a;
  const Matrix ground = ground_acceleration(tree);
  for (int i = 0; i < n; ++i) {
    const Matrix& above = of_parent(tree, a, ground, i);
    vdot(i, 0) = (P[i] * above)(0, 0) + p(i, 0);
    a.push_back(motion.C[i] * above + vdot(i, 0) * kJoint + motion.b[i]);
  }
  return vdot;
}

struct Equation {
  Matrix M, rest;  // M vdot = rest
};

// Bias by recursive inverse dynamics (algorithm 3), mass matrix by composite bodies: section 3.2.3.
Equation composite_body(const Tree& tree, const double* q, const double* v, const Matrix& tau) {
  const int n = tree.bodies();
  const Motion motion = forward_recursion(tree, q, v);
  std::vector<Matrix> a, force, composite = tree.M;
  const Matrix ground = ground_acceleration(tree);
  for (int i = 0; i < n; ++i) {
    a.push_back(motion.C[i] * of_parent(tree, a, ground, i) + motion.b[i]);
    force.push_back(tree.M[i] * a[i] + motion.h[i]);
  }
  Equation equation{Matrix(n, n), tau};
  for (int i = n - 1; i >= 0; --i) {
    equation.rest(i, 0) -= (kJoint.transpose() * force[i])(0, 0);
    Matrix F = composite[i] * kJoint;
    equation.M(i, i) = (kJoint.transpose() * F)(0, 0);
    for (int j = i; tree.parent[j] >= 0;) {
      F = motion.C[j].transpose() * F;
      j = tree.parent[j];
      equation.M(i, j) = equation.M(j, i) = (kJoint.transpose() * F)(0, 0);
    }
    if (tree.parent[i] < 0) continue;
    const Matrix C_T = motion.C[i].transpose();
    force[tree.parent[i]] = force[tree.parent[i]] + C_T * force[i];
    composite[tree.parent[i]] = composite[tree.parent[i]] + C_T * composite[i] * motion.C[i];
  }
  return equation;
}

// M = sum J_i^T M_i J_i and the bias by the Jacobians of all bodies, all columns: (3.23), (3.28), (3.29).
Equation newton_euler(const Tree& tree, const double* q, const double* v, const Matrix& tau) {
  const int n = tree.bodies();
  const Motion motion = forward_recursion(tree, q, v);
  Equation equation{Matrix(n, n), tau};
  std::vector<Matrix> J, a;
  const Matrix none(6, n), ground = ground_acceleration(tree);
  for (int i = 0; i < n; ++i) {
    J.push_back(motion.C[i] * of_parent(tree, J, none, i));
    J[i].put(0, i, kJoint);
    a.push_back(motion.C[i] * of_parent(tree, a, ground, i) + motion.b[i]);
    const Matrix J_T = J[i].transpose();
    equation.M = equation.M + J_T * (tree.M[i] * J[i]);
    equation.rest = equation.rest + -1.0 * (J_T * (tree.M[i] * a[i] + motion.h[i]));
  }
  return equation;
}

Matrix accelerations(const Tree& tree, int method, const double* q, const double* v, const Matrix& tau) {
  if (method == 0) return linear(tree, q, v, tau);
  const Equation equation = method <= 2 ? composite_body(tree, q, v, tau) : newton_euler(tree, q, v, tau);
  return method % 2 ? solve_dense(equation.M, equation.rest) : solve_reversed_sparse(equation.M, equation.rest, tree.parent);
}

}  // namespace

extern "C" {

// A_PJ and r_PJ: 12 numbers a body, rows of A first. Inertia: 10, mass, centre of mass, xx yy zz xy xz yz about it.
void* base_make(int n, const int* parent, const double* pose, const double* inertia, const double* gravity) {
  Tree* tree = new Tree;
  for (int i = 0; i < n; ++i, pose += 12, inertia += 10) {
    tree->parent.push_back(parent[i]);
    Matrix A(3, 3), r(3, 1), c(3, 1), moments(3, 3), M(6, 6), unit(3, 3);
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) A(k, j) = pose[4 * k + j];
      r(k, 0) = pose[4 * k + 3], c(k, 0) = inertia[1 + k], moments(k, k) = inertia[4 + k], unit(k, k) = 1.0;
    }
    const double m = inertia[0];
    moments(0, 1) = moments(1, 0) = inertia[7], moments(0, 2) = moments(2, 0) = inertia[8];
    moments(1, 2) = moments(2, 1) = inertia[9];
    M.put(0, 0, moments + -m * (skew(c) * skew(c))), M.put(0, 3, m * skew(c));
    M.put(3, 0, -m * skew(c)), M.put(3, 3, m * unit);
    tree->A.push_back(A), tree->r.push_back(r), tree->M.push_back(M);
  }
  for (int k = 0; k < 3; ++k) tree->gravity(k, 0) = gravity[k];
  return tree;
}

void base_free(void* tree) { delete static_cast<Tree*>(tree); }

// Methods: 0 O(n); 1, 2 CRBA, dense and RSC; 3, 4 NE, dense and RSC.
void base_forward(const void* tree, int method, const double* q, const double* v, const double* tau, double* vdot) {
  const Tree& t = *static_cast<const Tree*>(tree);
  Matrix force(t.bodies(), 1);
  for (int i = 0; i < t.bodies(); ++i) force(i, 0) = tau[i];
  const Matrix result = accelerations(t, method, q, v, force);
  for (int i = 0; i < t.bodies(); ++i) vdot[i] = result(i, 0);
}
}
