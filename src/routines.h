/* Every routine that R can call as .Call(C_<name>, ...), grouped by topic in the order of the line respondent -> report
 * -> tally -> fit. A routine is one line here, ROUTINE(name, its arguments), and a definition of <name>_call() in
 * glue_<topic>.c: api.h declares and init.c registers what it finds in this list, so that name, prototype and number of
 * arguments cannot disagree. No guard: it is included once for each of the two. */
/* clang-format off */

/* perturb: truths -> reports */
ROUTINE(rr_perturb, SEXP truths, SEXP first, SEXP sizes, SEXP kind, SEXP numbers, SEXP generator)
ROUTINE(rr_check_answers, SEXP truths, SEXP first, SEXP levels)
ROUTINE(rr_achieved, SEXP sizes, SEXP kind, SEXP numbers)
ROUTINE(rr_plan_words, SEXP sizes, SEXP kind, SEXP numbers)

/* tally: reports -> counts */
ROUTINE(rr_tally, SEXP codes, SEXP first, SEXP k, SEXP groups, SEXP n_groups, SEXP weights, SEXP skip_missing)
ROUTINE(rr_tally_powers, SEXP x, SEXP limits, SEXP groups, SEXP n_groups, SEXP weights)
ROUTINE(rr_check_counts, SEXP counts, SEXP whole)

/* simplex: counts -> estimate, in closed form */
ROUTINE(rr_mle, SEXP counts, SEXP a, SEXP b, SEXP odds)
ROUTINE(rr_inv, SEXP counts, SEXP a, SEXP b)
ROUTINE(rr_invn, SEXP counts, SEXP a, SEXP b)
ROUTINE(rr_invp, SEXP counts, SEXP a, SEXP b)
ROUTINE(rr_project, SEXP x, SEXP total)

/* measured: counts of respondents and of a study -> interval of a share */
ROUTINE(rr_measured_interval, SEXP counts, SEXP sizes, SEXP quantiles)

/* eb: counts -> posterior of the shares */
ROUTINE(rr_eb, SEXP rows, SEXP groups, SEXP totals, SEXP most, SEXP shapes, SEXP levels)

/* ibu: counts -> estimate, by steps */
ROUTINE(rr_ibu, SEXP counts, SEXP a, SEXP b, SEXP start, SEXP iterations, SEXP tolerance, SEXP keep_trace,
        SEXP maximum)

/* channel: several questions as one report, and channels as operators */
ROUTINE(rr_cells, SEXP codes, SEXP first, SEXP sizes)
ROUTINE(rr_find_additive, SEXP transposed)
ROUTINE(rr_apply, SEXP axes, SEXP x, SEXP kind)
ROUTINE(rr_channel_rows, SEXP axes, SEXP cells)

/* solver: tally -> fit for any channel */
ROUTINE(rr_solver, SEXP axes, SEXP counts, SEXP start, SEXP tolerance)
ROUTINE(rr_solver_run, SEXP solver, SEXP steps)
ROUTINE(rr_solver_result, SEXP solver, SEXP unique_limit)
ROUTINE(rr_solver_information, SEXP solver, SEXP cells, SEXP rhs)
ROUTINE(rr_impossible, SEXP axes, SEXP counts)
ROUTINE(rr_em, SEXP axes, SEXP counts, SEXP start, SEXP iterations, SEXP tolerance, SEXP maximum)

/* cooccurrence: bits -> joint counts of all sets of columns */
ROUTINE(rr_cooccurrence, SEXP bits, SEXP order, SEXP patterns, SEXP more)
ROUTINE(rr_sets, SEXP columns, SEXP order, SEXP from, SEXP n)
ROUTINE(rr_set_positions, SEXP columns, SEXP order, SEXP members)
ROUTINE(rr_rowtype, SEXP x, SEXP columns, SEXP to_counts)

/* moments: joint counts of the truth <-> of the reports */
ROUTINE(rr_moments, SEXP values, SEXP columns, SEXP order, SEXP weight, SEXP more, SEXP more_values)
ROUTINE(rr_count_law, SEXP count, SEXP prob)

/* tmdh: covariances of joint counts, and correlations */
ROUTINE(rr_tmdh_centre, SEXP reported, SEXP columns, SEXP order, SEXP p, SEXP q, SEXP more, SEXP more_reported)
ROUTINE(rr_tmdh_block, SEXP values, SEXP columns, SEXP order, SEXP more, SEXP more_values, SEXP design,
        SEXP rows, SEXP cols, SEXP reported)
ROUTINE(rr_tmdh_variances, SEXP values, SEXP columns, SEXP order, SEXP design, SEXP of_order,
        SEXP reported, SEXP more, SEXP more_values)
ROUTINE(rr_tmdh_all, SEXP counts, SEXP values, SEXP columns, SEXP design)
ROUTINE(rr_tmdh_sparse, SEXP values, SEXP columns, SEXP order, SEXP design, SEXP of_order)
ROUTINE(rr_pair_covariances, SEXP values, SEXP columns, SEXP order, SEXP design)

/* extremes: bits -> states, one column of 12 numbers an element -> OR and AND */
ROUTINE(rr_bits, SEXP x)
ROUTINE(rr_count_ones, SEXP bits, SEXP n)
ROUTINE(rr_extreme_bits, SEXP bits, SEXP flips)
ROUTINE(rr_extreme_rows, SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit)
ROUTINE(rr_extreme_counts, SEXP n, SEXP ones, SEXP flip)
ROUTINE(rr_extreme_merge, SEXP x, SEXP y)
ROUTINE(rr_extreme_value, SEXP state, SEXP kind)

/* cardinality: a matrix of elements x sets -> sizes of unions and intersections */
ROUTINE(rr_cardinality, SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit, SEXP invert)
ROUTINE(rr_cardinality_histogram, SEXP histogram, SEXP flip)
ROUTINE(rr_row_ones, SEXP bits, SEXP rows, SEXP columns)

/* incidence: how many sets hold an element */
ROUTINE(rr_incidence_channel, SEXP n, SEXP flip, SEXP inverse)
ROUTINE(rr_incidence_mixture, SEXP flips)
ROUTINE(rr_incidence_total, SEXP bits, SEXP rows, SEXP columns, SEXP flips, SEXP flip_per_bit)

/* sketches: items -> bits */
ROUTINE(rr_bloom_sketch, SEXP items, SEXP key, SEXP bits, SEXP hashes)
ROUTINE(rr_pcsa_sketch, SEXP items, SEXP key, SEXP buckets, SEXP levels)

/* study: worlds -> reports -> estimates -> losses */
ROUTINE(rr_study_counts, SEXP theta, SEXP truth, SEXP n, SEXP a, SEXP b, SEXP odds, SEXP seed,
        SEXP cell, SEXP first, SEXP replications)
ROUTINE(rr_study_judge, SEXP estimates, SEXP truth, SEXP counts, SEXP n, SEXP x, SEXP a, SEXP b, SEXP odds, SEXP group)

/* category: regressions of a categorical truth */
ROUTINE(rr_category, SEXP x, SEXP codes, SEXP weights, SEXP channel, SEXP beta, SEXP kind)

/* regression: reports and covariates -> coefficients of the truth */
ROUTINE(rr_regress_climb, SEXP model, SEXP starts, SEXP tolerance, SEXP steps)
ROUTINE(rr_regress_heights, SEXP model, SEXP points)
ROUTINE(rr_regress_value, SEXP model, SEXP at, SEXP natural)
ROUTINE(rr_mixed_climb, SEXP model, SEXP groups, SEXP start, SEXP tolerance, SEXP steps)
ROUTINE(rr_mixed_value, SEXP model, SEXP groups, SEXP at)
ROUTINE(rr_mixture, SEXP mixture, SEXP at, SEXP need)
ROUTINE(rr_dealt_value, SEXP z, SEXP said, SEXP first, SEXP offset, SEXP deck, SEXP link, SEXP b, SEXP derive)
ROUTINE(rr_regress_rows, SEXP eta, SEXP y, SEXP arm, SEXP device, SEXP link)
ROUTINE(rr_unknown_rows, SEXP eta, SEXP logit, SEXP y, SEXP arm, SEXP unknown, SEXP link, SEXP separate)
ROUTINE(rr_regress_collapse, SEXP x, SEXP y, SEXP weight, SEXP offset, SEXP arm, SEXP limit)

/* protocols: truths -> reports that support sets of categories */
ROUTINE(rr_draw_unary, SEXP truths, SEXP first, SEXP levels, SEXP numbers, SEXP generator)
ROUTINE(rr_draw_subset, SEXP truths, SEXP first, SEXP levels, SEXP epsilon, SEXP size, SEXP packed, SEXP generator)
ROUTINE(rr_draw_hadamard, SEXP truths, SEXP first, SEXP levels, SEXP epsilon, SEXP blocks, SEXP size,
                           SEXP generator)
ROUTINE(rr_draw_projective, SEXP truths, SEXP first, SEXP levels, SEXP epsilon, SEXP factor, SEXP field,
        SEXP coordinates, SEXP generator)
ROUTINE(rr_draw_hash, SEXP truths, SEXP first, SEXP levels, SEXP epsilon, SEXP hash, SEXP codes, SEXP functions,
                       SEXP generator)
ROUTINE(rr_draw_bitflip, SEXP truths, SEXP first, SEXP levels, SEXP numbers, SEXP sizes, SEXP generator)
ROUTINE(rr_bit_words, SEXP numbers)
ROUTINE(rr_chance_words, SEXP factor, SEXP epsilon)
ROUTINE(rr_bit_chances, SEXP numbers)
ROUTINE(rr_support_chance, SEXP factor, SEXP epsilon)

/* support: such reports -> counts, and their forms */
ROUTINE(rr_count_bits, SEXP bits, SEXP k, SEXP size, SEXP groups, SEXP n_groups, SEXP weights)
ROUTINE(rr_count_lists, SEXP lists, SEXP k, SEXP signs, SEXP groups, SEXP n_groups, SEXP weights)
ROUTINE(rr_count_hashed, SEXP slope, SEXP shift, SEXP value, SEXP hash, SEXP codes, SEXP order, SEXP groups,
                          SEXP n_groups, SEXP weights)
ROUTINE(rr_hash_table, SEXP slope, SEXP shift, SEXP hash, SEXP codes)
ROUTINE(rr_bits_to_matrix, SEXP bits, SEXP k)
ROUTINE(rr_matrix_to_bits, SEXP x)
ROUTINE(rr_lists_to_bits, SEXP lists, SEXP k)
ROUTINE(rr_bits_to_lists, SEXP bits, SEXP k, SEXP size)
ROUTINE(rr_hashed_to_bits, SEXP slope, SEXP shift, SEXP value, SEXP hash, SEXP codes)
ROUTINE(rr_to_hex, SEXP bits)
ROUTINE(rr_from_hex, SEXP x, SEXP width)
ROUTINE(rr_public_numbers, SEXP key, SEXP bound, SEXP n, SEXP different)
ROUTINE(rr_hadamard_sums, SEXP counts, SEXP blocks, SEXP k)
ROUTINE(rr_hadamard_transform, SEXP x)
ROUTINE(rr_hyperplane_bits, SEXP points, SEXP field, SEXP coordinates, SEXP k)
ROUTINE(rr_hyperplane_sums, SEXP values, SEXP field, SEXP coordinates, SEXP k)
ROUTINE(rr_filter_squares, SEXP places, SEXP bits, SEXP inner)

