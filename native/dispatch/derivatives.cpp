#include "dispatch/derivatives.hpp"

namespace tarsus::TARSUS_ISA {

size_t derivative_scratch(int operation, const Model& m) {
  (void)operation, (void)m;
  return 0;
}

template <class T>
void derivative(int operation, const Context<T>& x, T* scratch) {
  (void)operation, (void)x, (void)scratch;
}

template void derivative<double>(int, const Context<double>&, double*);
template void derivative<Pack>(int, const Context<Pack>&, Pack*);

}  // namespace tarsus::TARSUS_ISA
