// One function per kernel header; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace dagscape {

void bind_best(nanobind::module_& module);
void bind_block_chain(nanobind::module_& module);
void bind_class_moves(nanobind::module_& module);
void bind_conditional(nanobind::module_& module);
void bind_determinants(nanobind::module_& module);
void bind_editable_dag(nanobind::module_& module);
void bind_equivalence(nanobind::module_& module);
void bind_families(nanobind::module_& module);
void bind_family_scorer(nanobind::module_& module);
void bind_fixed_log(nanobind::module_& module);
void bind_independence(nanobind::module_& module);
void bind_joint_counts(nanobind::module_& module);
void bind_joint_scores(nanobind::module_& module);
void bind_modes(nanobind::module_& module);
void bind_move_evaluator(nanobind::module_& module);
void bind_order_search(nanobind::module_& module);
void bind_sampling(nanobind::module_& module);
void bind_student_states(nanobind::module_& module);
void bind_sums(nanobind::module_& module);
void bind_tiled_order_sum(nanobind::module_& module);

}  // namespace dagscape
