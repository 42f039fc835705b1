// Native tests without Python: meant to run under the address and undefined-behaviour sanitizers. Names as arguments choose some.
#include <algorithm>
#include <chrono>

#include "tests/closure_tests.hpp"
#include "tests/constraint_tests.hpp"
#include "tests/coupling_tests.hpp"
#include "tests/distance_tests.hpp"
#include "tests/drawing_tests.hpp"
#include "tests/factor_tests.hpp"
#include "tests/filter_tests.hpp"
#include "tests/friction_tests.hpp"
#include "tests/math_tests.hpp"
#include "tests/operation_tests.hpp"
#include "tests/predictive_tests.hpp"
#include "tests/program_tests.hpp"
#include "tests/refusal_tests.hpp"
#include "tests/rigid_tests.hpp"
#include "tests/sensor_tests.hpp"
#include "tests/simulation_tests.hpp"
#include "tests/step_tests.hpp"
#include "tests/task_tests.hpp"
#include "tests/thread_tests.hpp"
#include "tests/whole_body_tests.hpp"

int main(int count, char** names) {
  using namespace tests;
  struct Test {
    const char* name;
    void (*run)();
  };
  const Test all[] = {{"sine and cosine", test_sine_and_cosine},
                      {"angles", test_angles},
                      {"rotation vectors", test_rotation_vectors},
                      {"rows and packs", test_rows_and_packs},
                      {"operations", test_operations},
                      {"long chain", test_long_chain},
                      {"sparse factorisation", test_sparse_factor},
                      {"constraints", test_constraints},
                      {"redundant constraints", test_redundant_constraints},
                      {"constraints without direction", test_constraints_without_direction},
                      {"inconsistent tables of constraints", test_inconsistent_constraints},
                      {"contacts with friction", test_contacts_with_friction},
                      {"four-bars", test_four_bars},
                      {"loops that do not close", test_loops_that_do_not_close},
                      {"rows between bodies and joints", test_couplings},
                      {"quadratic programs", test_quadratic_programs},
                      {"known programs", test_known_programs},
                      {"distances", test_distances},
                      {"robots among obstacles", test_robots_among_obstacles},
                      {"sensors", test_sensors},
                      {"steps of the filter", test_filter_steps},
                      {"corrections of the filter", test_filter_corrections},
                      {"base of the filter", test_base_of_filter},
                      {"inverse kinematics", test_inverse_kinematics},
                      {"predictive inverse kinematics", test_predictive},
                      {"steps of inverse kinematics", test_velocity_steps},
                      {"whole-body control", test_whole_body},
                      {"drawing", test_drawing},
                      {"simulation", test_simulation},
                      {"rigid contact", test_rigid_contact},
                      {"adaptive steps", test_adaptive_steps},
                      {"lost robots", test_lost_robots},
                      {"non-finite arguments", test_non_finite_arguments},
                      {"quaternion norms", test_quaternion_norms},
                      {"second configuration", test_second_configuration},
                      {"massless joints", test_massless_joints},
                      {"overflow", test_overflow},
                      {"inconsistent arrays", test_inconsistent_arrays},
                      {"choice of the instruction set", test_selection},
                      {"coverage of rows by threads", test_coverage},
                      {"several callers", test_several_callers},
                      {"fork", test_fork},
                      {"batches on threads", test_batches_on_threads}};
  std::string sets;
  for (const KernelTable* table : usable_tables()) sets += std::string(sets.empty() ? "" : ", ") + table->name;
  std::printf("instruction sets: %s\n", sets.c_str());
  for (const Test& test : all) {
    if (count > 1 && std::none_of(names + 1, names + count, [&](const std::string& x) { return x == test.name; })) continue;
    const auto start = std::chrono::steady_clock::now();
    const long before = tally().failures, checks = tally().checks;
    test.run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%s  %-30s %8ld checks  %6.2f s\n", tally().failures == before ? "ok    " : "FAILED", test.name,
                tally().checks - checks, seconds);
    std::fflush(stdout);
  }
  std::printf("%ld checks, %ld failed\n", tally().checks, tally().failures);
  return tally().failures == 0 ? 0 : 1;
}
