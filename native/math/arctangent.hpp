// Arctangent of packs: reduction to [-tan(pi/8), tan(pi/8)] and a rational function (Moshier, Cephes, atan.c), about 2 ulp.
#pragma once
#include "math/comparison.hpp"

namespace tarsus::TARSUS_ISA {

// atan2(s, c) for s, c >= 0, not both zero: in [0, pi/2].
template <class T>
TARSUS_INLINE T first_quadrant_angle(const T& s, const T& c) {
  using I = typename Bits<T>::type;
  const T small = smaller<T>(s, c), large = larger<T>(s, c);
  // tan(a - pi/4) = (tan a - 1) / (tan a + 1)
  const I steep = less<T>(0.41421356237309503 * large, small);
  const T x = select<T>(steep, small - large, small) / select<T>(steep, small + large, large);
  const T z = x * x;
  const T above = -6.485021904942025371773E1 +
                  z * (-1.228866684490136173410E2 +
                       z * (-7.500855792314704667340E1 + z * (-1.615753718733365076637E1 + z * -8.750608600031904122785E-1)));
  const T below = 1.945506571482613964425E2 +
                  z * (4.853903996359136964868E2 +
                       z * (4.328810604912902668951E2 + z * (1.650270098316988542046E2 + z * (2.485846490142306297962E1 + z))));
  const T angle = x + x * z * (above / below) + select<T>(steep, broadcast<T>(0.78539816339744831), broadcast<T>(0.0));
  return select<T>(less<T>(c, s), 1.57079632679489662 - angle, angle);
}

}  // namespace tarsus::TARSUS_ISA
