//! The list of cases. A test of this crate fails when it leaves one out.

/// Makes one test of each case, for stores at `$place`: an expression that makes a new, empty
/// [`StorePlace`](crate::conformance::StorePlace) each time. `games` says how many random games are played.
#[macro_export]
macro_rules! conformance {
    ($place:expr) => {
        $crate::conformance!($place, games = 30);
    };
    ($place:expr, games = $games:expr) => {
        $crate::conformance_cases! { $place;
            creating {
                a_run_that_nobody_claims_is_queued,
                a_run_can_be_held_from_the_start,
                a_run_can_begin_by_waiting,
                a_run_can_be_over_as_it_begins,
                a_run_begins_with_all_of_its_first_step,
                a_second_run_of_the_same_name_is_refused,
                a_creation_over_the_owners_cap_leaves_no_run,
                a_run_that_was_never_made_is_not_found,
            }
            committing {
                a_step_is_written_whole,
                a_step_without_events_changes_only_the_standing,
                a_step_leaves_its_run_where_it_says,
                a_step_that_missed_an_event_is_refused,
                a_step_that_was_written_already_is_refused,
                a_step_that_has_seen_what_is_not_there_is_refused,
                a_holder_of_an_older_epoch_is_fenced,
                a_holder_of_an_epoch_to_come_is_fenced,
                another_worker_is_fenced,
                whoever_let_a_run_go_is_fenced,
                a_closed_run_takes_no_step,
                a_step_over_the_owners_cap_leaves_nothing,
                the_gravest_reason_is_told,
                a_refused_step_spares_the_others,
                of_many_steps_at_once_one_is_written,
            }
            spending {
                an_owner_nobody_heard_of_has_spent_nothing,
                what_all_runs_of_an_owner_do_adds_up,
                owners_do_not_share,
                all_owners_who_spent_or_are_capped_are_listed,
                an_owner_may_reserve_up_to_the_cap_and_no_more,
                what_nobody_can_price_needs_something_left,
                a_step_can_reserve_what_it_releases,
                settling_is_never_refused,
                an_amount_too_large_to_add_is_over_the_cap,
                a_cap_can_be_taken_away,
                many_reservations_at_once_never_pass_the_cap,
                a_new_cap_queues_the_runs_that_waited_for_it,
                a_new_cap_leaves_other_runs_alone,
            }
            delivering {
                a_delivery_is_written_and_queues_a_run_that_waits,
                a_run_that_is_queued_stays_so,
                a_holder_is_told_and_keeps_its_run,
                a_holder_that_has_seen_it_is_told_no_more,
                the_next_holder_is_not_told_what_it_loads,
                a_delivery_that_missed_an_event_is_refused,
                a_closed_run_takes_nothing,
                an_answer_ends_its_ask,
                other_asks_stay_open,
                a_second_answer_is_refused,
                an_ask_that_is_not_open_takes_no_answer,
                an_answer_is_for_its_own_run,
                of_twenty_answers_at_once_one_wins,
                advice_from_many_at_once_is_all_written,
                a_delivery_can_set_the_cap_of_its_run,
            }
            redacting {
                what_a_closed_run_said_is_erased_and_the_rest_stays,
                the_chain_of_a_redacted_run_holds,
                a_redacted_run_has_no_state_and_no_asks,
                a_redaction_is_refused_while_the_run_is_not_over,
                a_redaction_that_missed_an_event_is_refused,
                a_redaction_of_no_run_is_refused,
                a_second_redaction_changes_nothing,
                of_many_redactions_at_once_one_is_written,
                other_runs_keep_what_they_said,
                a_redacted_run_takes_nothing_and_is_given_to_nobody,
                a_redacted_run_stays_so_when_the_store_is_opened_again,
            }
            claiming {
                the_highest_priority_goes_first_and_then_the_oldest,
                no_more_are_taken_than_wanted,
                a_claimed_run_comes_with_all_that_its_holder_needs,
                each_claim_begins_a_new_epoch,
                only_wanted_workflows_are_taken,
                a_run_of_a_newer_program_is_left_to_others,
                a_worker_takes_what_is_placed_anywhere_or_at_its_host,
                a_foreground_run_is_its_commands_while_that_lives,
                a_foreground_run_that_was_interrupted_waits_for_a_command,
                a_foreground_run_that_a_worker_took_over_is_the_workers,
                a_run_that_waits_is_taken_when_its_instant_has_come,
                a_run_whose_instant_has_come_takes_its_place_among_the_queued,
                what_is_held_or_closed_is_not_taken,
                no_two_workers_get_the_same_run,
                a_run_can_be_claimed_by_name,
                a_run_that_a_live_worker_has_is_not_given_away,
                a_run_that_a_dead_worker_has_is_given_away,
                a_closed_run_is_given_to_nobody,
                of_many_who_want_one_run_one_gets_it,
                the_next_instant_is_the_earliest_that_anybody_wanted_waits_for,
                a_run_that_no_longer_waits_has_no_instant,
            }
            sharing {
                one_run_does_not_wait_for_a_thousand_of_another_owner,
                nor_does_it_where_a_worker_has_one_place,
                owners_get_equal_shares_of_a_small_worker,
                whoever_has_the_fewest_runs_under_way_goes_first,
                priority_counts_among_the_runs_of_one_owner_only,
                an_owner_alone_fills_all_places,
                what_others_leave_is_for_whoever_has_more,
                a_run_whose_instant_has_come_has_its_owners_turn,
                owners_without_a_run_for_the_worker_have_no_turn,
                many_owners_have_a_turn_each_before_any_has_a_second,
                turns_go_on_when_the_store_is_opened_again,
            }
            living {
                the_runs_of_a_dead_worker_are_queued_again,
                a_live_worker_keeps_its_runs,
                a_worker_thought_dead_can_write_no_more,
                a_run_in_the_foreground_outlives_its_command,
                what_a_dead_worker_let_go_stays_as_it_is,
                a_dead_worker_is_told_nothing,
                a_worker_can_come_back_under_its_name,
            }
            reading {
                a_run_is_its_newest_snapshot_and_the_events_since,
                events_are_read_page_by_page,
                a_page_of_events_ends_with_the_one_that_fills_it,
                each_event_names_the_one_before_it,
                events_of_one_run_are_not_those_of_another,
                a_run_is_read_from_both_ends,
                both_ends_are_from_one_moment,
                large_values_come_back_byte_for_byte,
                numbers_keep_their_digits,
                objects_keep_their_order_and_their_spaces,
                text_of_any_language_comes_back,
                the_newest_instant_is_that_of_the_newest_event_of_all,
                an_empty_store_has_nothing,
            }
            listing {
                the_newest_run_comes_first,
                a_run_that_goes_on_keeps_its_place,
                a_page_goes_on_before_the_last_run_of_the_one_before,
                pages_lose_none_of_the_runs_that_were_made_at_one_instant,
                runs_are_found_by_status_workflow_and_owner,
                filters_hold_on_every_page,
                a_page_can_go_on_before_a_run_that_the_filter_leaves_out,
                a_prefix_is_taken_letter_by_letter,
            }
            asking {
                the_oldest_ask_comes_first,
                an_ask_can_be_older_than_one_that_was_written_before_it,
                asks_are_found_by_run_and_kind,
                asks_are_found_by_the_agent_in_whose_place_to_answer,
                a_page_goes_on_after_the_last_ask_of_the_one_before,
                a_page_can_go_on_after_an_ask_that_was_answered_meanwhile,
                pages_lose_none_of_the_asks_that_were_opened_at_one_instant,
                an_ask_comes_back_as_it_was_put,
                every_kind_of_ask_is_kept,
                a_run_that_closes_withdraws_what_it_asked,
                what_is_over_can_be_asked_again_under_the_same_key,
            }
            noticing {
                a_write_that_is_done_is_noticed_by_whoever_waits_afterwards,
                a_write_wakes_whoever_waits_for_it,
                a_write_wakes_all_who_wait_for_it,
                each_who_waits_follows_the_changes_alone,
                whoever_looks_after_each_change_sees_them_all,
                a_peer_sees_at_once_what_another_wrote,
            }
            reopening {
                everything_is_there_when_the_store_is_opened_again,
                a_claim_outlives_the_store_that_gave_it,
                whoever_was_fenced_stays_fenced,
                lists_go_on_in_their_order,
            }
        }

        mod likeness {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn any_game_goes_as_on_the_model() {
                $crate::conformance::likeness::any_game_goes_as_on_the_model($games, || $place);
            }
        }
    };
}

/// Makes one test of each case for sealed secrets, at a new, empty
/// [`VaultPlace`](crate::conformance::VaultPlace) each time.
#[macro_export]
macro_rules! vault_conformance {
    ($place:expr) => {
        $crate::conformance_cases! { $place;
            sealing {
                an_empty_vault_has_nothing,
                a_secret_comes_back_byte_for_byte,
                each_owner_and_name_has_a_secret_of_its_own,
                a_secret_is_replaced_only_if_that_is_wished,
                all_are_sealed_anew_and_keep_their_age,
                nothing_is_sealed_anew_if_anything_changed_meanwhile,
                of_many_who_bring_one_secret_one_wins,
                secrets_are_there_when_the_vault_is_opened_again,
            }
        }
    };
}

/// Makes one test of each case for accounts, at a new, empty
/// [`AccountPlace`](crate::conformance::AccountPlace) each time.
#[macro_export]
macro_rules! accounts_conformance {
    ($place:expr) => {
        $crate::conformance_cases! { $place;
            accounts_counting {
                attempts_count_for_their_window_and_no_longer,
                an_attempt_counts_for_all_of_its_limits_or_for_none,
                many_attempts_at_once_never_pass_the_limit,
                counts_outlive_the_store_that_counted,
                a_log_in_clears_only_what_it_names,
                codes_are_counted_with_what_they_are_for,
            }
            accounts_users {
                no_users_are_there_at_first,
                a_user_comes_back_as_it_was_given,
                users_are_listed_by_age_and_only_the_first_is_an_administrator,
                an_address_that_is_in_use_leaves_nothing,
                without_room_for_a_code_there_is_no_user,
                of_many_who_take_one_address_one_wins,
                of_many_first_users_one_is_an_administrator,
                disabling_ends_sessions_tokens_and_codes_for_good,
                users_are_there_when_the_store_is_opened_again,
            }
            accounts_setup {
                the_set_up_makes_an_administrator_with_a_session,
                only_the_newest_token_sets_up,
                a_user_made_otherwise_ends_the_set_up,
                of_many_set_ups_at_once_one_wins,
            }
            accounts_codes {
                a_right_code_verifies_once,
                after_its_tries_a_code_is_dead,
                a_code_is_too_old_from_its_last_instant_on,
                a_code_is_for_one_purpose,
                a_new_code_voids_the_one_before,
                a_code_over_the_limit_leaves_the_one_before,
                of_many_wrong_codes_at_once_five_are_looked_at,
                of_many_right_codes_at_once_one_is_taken,
                a_reset_sets_the_password_and_ends_all_sessions,
                tries_outlive_the_store_that_counted,
            }
            accounts_sessions {
                a_session_is_found_by_its_digest_with_its_user,
                a_session_can_be_used_longer,
                a_new_session_forgets_those_that_ended,
                a_session_wants_the_password_that_was_checked,
                a_new_password_ends_all_other_sessions_and_voids_the_code,
            }
            accounts_tokens {
                a_token_is_found_by_its_digest_with_its_user,
                a_token_without_scopes_is_not_one_with_none,
                tokens_are_listed_by_age_and_revoked_by_their_user,
            }
            accounts_outside {
                an_attempt_is_taken_once,
                old_attempts_are_forgotten,
                a_new_verified_address_makes_a_user_without_a_password,
                a_link_is_by_the_outside_id_and_not_by_the_address,
                a_verified_account_of_the_address_is_linked,
                an_unverified_account_is_never_linked,
                a_disabled_account_is_neither_linked_nor_signed_in,
                of_many_first_sign_ins_one_makes_the_user,
            }
        }
    };
}

/// How [`conformance!`] writes the tests.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_cases {
    ($place:expr; $($theme:ident { $($case:ident,)* })*) => {
        $(mod $theme {
            #[allow(unused_imports)]
            use super::*;

            $(#[test]
            fn $case() {
                $crate::conformance::run(async {
                    $crate::conformance::$theme::$case(&$place).await;
                });
            })*
        })*
    };
}
