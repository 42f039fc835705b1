// Times distance queries of coal: coal_queries POSES ROUNDS BLOCKS. The file holds as many pairs of poses as it is long, 24
// doubles each: rows of the rotation, position, of the first shape and of the second one. For every query a line with its name,
// the time of the best block [ns] and the sum of the distances, so that the caller can tell that the same was computed.
#include <coal/distance.h>
#include <coal/narrowphase/narrowphase.h>
#include <coal/shape/geometric_shapes.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

using coal::Transform3s;
using coal::Vec3s;

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * t.tv_sec + t.tv_nsec;
}

static Transform3s read_pose(const double* x) {
  coal::Matrix3s R;
  R << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
  return Transform3s(R, Vec3s(x[9], x[10], x[11]));
}

template <class Query>
static void run(const char* name, size_t pairs, int rounds, int blocks, Query query) {
  double best = 1e300, sum = 0;
  for (int block = 0; block < blocks; ++block) {
    sum = 0;
    const double start = now();
    for (int round = 0; round < rounds; ++round) {
      for (size_t i = 0; i < pairs; ++i) sum += query(i);
    }
    const double taken = (now() - start) / (double(rounds) * double(pairs));
    best = taken < best ? taken : best;
  }
  std::printf("%s %.6g %.17g\n", name, best, sum / rounds);
}

int main(int, char** arguments) {
  std::vector<Transform3s> first, second;
  std::FILE* file = std::fopen(arguments[1], "rb");
  double row[24];
  while (file && std::fread(row, sizeof(double), 24, file) == 24)
    first.push_back(read_pose(row)), second.push_back(read_pose(row + 12));
  if (file) std::fclose(file);
  const int rounds = std::atoi(arguments[2]), blocks = std::atoi(arguments[3]);

  const coal::Sphere sphere_a(0.1), sphere_b(0.15);
  const coal::Capsule capsule_a(0.08, 0.4), capsule_b(0.06, 0.3);
  coal::TriangleP triangle_a(Vec3s(0, 0, 0), Vec3s(0.3, 0, 0), Vec3s(0, 0.3, 0.1));
  coal::TriangleP triangle_b(Vec3s(0, 0, 0), Vec3s(0.2, 0.1, 0), Vec3s(-0.1, 0.3, 0.2));
  triangle_a.setSweptSphereRadius(0.05), triangle_b.setSweptSphereRadius(0.03);

  // Shapes with a closed form, by the functor that has chosen it.
  auto closed = [&](const char* name, const coal::CollisionGeometry& a, const coal::CollisionGeometry& b) {
    const coal::DistanceRequest request(true);
    coal::DistanceResult result;
    const coal::ComputeDistance compute(&a, &b);
    run(name, first.size(), rounds, blocks, [&](size_t i) {
      result.clear();
      return compute(first[i], second[i], request, result);
    });
  };
  closed("point-point", sphere_a, sphere_b);
  closed("point-line", sphere_a, capsule_b);
  closed("line-line", capsule_a, capsule_b);

  // Triangles, by the iterations that all others go through.
  coal::GJKSolver solver;
  auto iterated = [&](const char* name, const auto& a, const auto& b) {
    run(name, first.size(), rounds, blocks, [&](size_t i) {
      Vec3s p, q, n;
      return solver.shapeDistance<std::decay_t<decltype(a)>, std::decay_t<decltype(b)>>(a, first[i], b, second[i], true, p, q, n);
    });
  };
  iterated("point-triangle", sphere_a, triangle_b);
  iterated("line-triangle", capsule_a, triangle_b);
  iterated("triangle-triangle", triangle_a, triangle_b);
}
