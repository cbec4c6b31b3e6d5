//! Facts about penetration correction, each row of S1 section 2 by a test of that name.
//!
//! | row | test |
//! |---|---|
//! | S1-05 | `rows::contact_above_the_threshold_is_left_alone` |
//! | S1-06 | `rows::one_body_is_displaced_and_not_turned` |
//! | S1-07 | `rows::free_body_leaves_along_the_normal` |
//! | S1-08, S1-09 | `rows::body_goes_back_only_when_it_came_far_enough` |
//! | S1-10 | `rows::fixed_kinematic_and_quarantined_bodies_stay` |
//! | S1-11 | `rows::neighbour_beyond_the_gap_stays` |
//! | S1-12 | `figures::figure_7a_gap_is_closed_by_the_intercept_theorem` |
//! | S1-13 | `rows::the_longer_displacement_counts` |
//! | S1-14, S1-16 | `rows::every_contact_of_a_displaced_body_is_updated_once` |
//! | S1-15 | `figures::figure_8_blocked_contacts_stay_as_they_are` |
//! | S1-17 | `figures::figure_9_the_least_disturbance_is_chosen` |
//! | S1-18 | `figures::figure_7b_one_correction_frees_two_contacts` |
//! | S1-19 | `packing::corrected_contacts_stay_corrected` |
//! | S1-20 | `figures::figure_10_unseen_overlap_is_possible` |
//! | S1-21, S1-22 | `oracle::stack_search_equals_the_recursion_without_abort` |
//! | S1-23 | `figures::figure_11_the_faster_body_is_tried_first` |
//! | S1-24 | `rows::slack_is_left_standing` |
//! | S1-25 | `figures::figure_13_two_of_four_spheres_move` |
//! | S1-38 | `rows::displaced_sleepers_wake` |
//! | S1-97 | `rotate::*` |

mod figures;
mod loosen;
mod oracle;
mod packing;
mod pile;
mod rotate;
mod rows;
