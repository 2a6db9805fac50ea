# The law of a hierarchy has a law for each depth: that of its oracle, on the nodes of that depth,
# for those who drew it. Counts are, depth after depth, the number who drew it and the oracle's
# counts. The unbiased estimate is the generalized least squares fit of the levels to the estimates
# of all nodes. The root is 1, and all nodes of a depth have one variance. The fit is linear: a
# function of the levels is a function of the nodes of each depth. Depths are independent, given how
# many drew them.

law_meets.rr_law_hierarchy <- function(law, need) {
  need == "likelihood" && all(vapply(depth_laws(law), law_gives, NA, need))
}

# Nodes of each depth to which the levels belong.
node_of <- function(law, depth) {
  (seq_len(law$truths) - 1) %/%
    law$fanout^(length(law$nodes) - depth) + 1
}

# Sums over the children of each node; `x` is a vector or a matrix with one row a node.
over_children <- function(law, x) {
  sums <- rowsum(x, (seq_len(NROW(x)) - 1) %/% law$fanout)
  if (is.matrix(x)) unname(sums) else as.vector(sums)
}

parents <- function(law, depth) {
  (seq_len(law$nodes[depth]) - 1) %/% law$fanout + 1
}

law_impossible.rr_law_hierarchy <- function(law, counts) {
  for (l in seq_along(law$laws)) {
    rows <- law$rows[[l]]
    impossible <- law_impossible(law$laws[[l]], counts[rows][-1])
    if (impossible > 0) return(rows[1 + impossible])
  }
  0
}

law_expected.rr_law_hierarchy <- function(law, theta) {
  unlist(lapply(seq_along(law$laws), function(l) {
    shares <- as.vector(rowsum(theta, node_of(law, l)))
    c(1, law_expected(law$laws[[l]], shares)) / length(law$laws)
  }), use.names = FALSE)
}

# ---- estimates ----

# The evidence of each depth and the unbiased estimates of its nodes.
depth_evidence <- function(law, evidence) {
  lapply(seq_along(law$laws), function(l) {
    counts <- evidence$counts[law$rows[[l]]]
    if (counts[1] <= 0) {
      abort("Each depth of the hierarchy must have been drawn: nobody drew depth {l}.", "empty")
    }
    new_evidence(
      law$laws[[l]],
      counts[-1],
      counts[1],
      counts[1],
      law$nodes[l],
      law$mechanisms[[l]]
    )
  })
}

# The weights of both passes, from the variance of a node at each depth, as a list of two lists with
# a vector for each depth:
#    node         the weight of a node's own estimate beside the sum of its children's
#    correction   the fraction of its parent's correction that a node gets
tree_weights <- function(law, variances) {
  depths <- length(variances)
  below <- node <- correction <- vector("list", depths)
  below[[depths]] <- rep(variances[depths], law$nodes[depths])
  for (l in rev(seq_len(depths - 1))) {
    children <- over_children(law, below[[l + 1]])
    node[[l]] <- children / (variances[l] + children)
    below[[l]] <- variances[l] * node[[l]]
  }
  for (l in seq_len(depths)) {
    siblings <- if (l == 1) {
      sum(below[[1]])
    } else {
      over_children(law, below[[l]])[parents(law, l)]
    }
    correction[[l]] <- below[[l]] / siblings
  }
  list(node = node, correction = correction)
}

# Consistent estimates of the nodes of all depths from their separate estimates, a vector for each
# depth.
consistent_nodes <- function(law, nodes, variances) {
  weights <- tree_weights(law, variances)
  depths <- length(nodes)
  for (l in rev(seq_len(depths - 1))) {
    nodes[[l]] <- weights$node[[l]] * nodes[[l]] +
      (1 - weights$node[[l]]) * over_children(law, nodes[[l + 1]])
  }
  for (l in seq_len(depths)) {
    missing <- if (l == 1) {
      1 - sum(nodes[[1]])
    } else {
      (nodes[[l - 1]] - over_children(law, nodes[[l]]))[
        parents(law, l)
      ]
    }
    nodes[[l]] <- nodes[[l]] + weights$correction[[l]] * missing
  }
  nodes
}

# The weights of the nodes' separate estimates in functions of the levels: a matrix for each depth,
# a row for each row of `functions`. The function less its weighted nodes is a constant, which comes
# from the root. The passes are those of consistent_nodes(), backwards and transposed.
node_functions <- function(law, functions, variances) {
  weights <- tree_weights(law, variances)
  depths <- length(variances)
  node_weights <- vector("list", depths)
  down <- t(functions)
  for (l in rev(seq_len(depths))) {
    carried <- weights$correction[[l]] * down
    up <- if (l == 1) matrix(colSums(carried), 1) else over_children(law, carried)
    parent <- if (l == 1) rep(1, law$nodes[1]) else parents(law, l)
    node_weights[[l]] <- down - up[parent, ]
    down <- up
  }
  for (l in seq_len(depths - 1)) {
    node_weights[[l + 1]] <- node_weights[[l + 1]] + ((1 - weights$node[[l]]) * node_weights[[l]])[
      parents(law, l + 1),
    ]
    node_weights[[l]] <- weights$node[[l]] * node_weights[[l]]
  }
  lapply(node_weights, t)
}

# The reports of the deepest nodes, which are the levels.
supporting_counts.rr_law_hierarchy <- function(law, evidence) {
  deepest <- rev(depth_evidence(law, evidence))[[1]]
  supporting_counts(deepest$law, deepest)
}

depth_variances <- function(law, depths) {
  law$unit / vapply(depths, function(d) d$n, 0)
}

law_unbiased.rr_law_hierarchy <- function(law, evidence) {
  depths <- depth_evidence(law, evidence)
  nodes <- lapply(depths, function(d) d$unbiased())
  consistent_nodes(law, nodes, depth_variances(law, depths))[[length(nodes)]]
}

# The standard error for a level that nobody holds, at equal shares.
law_null_std_error.rr_law_hierarchy <- function(law, evidence) {
  variances <- depth_variances(law, depth_evidence(law, evidence))
  node_weights <- node_functions(law, diag(law$truths), variances)
  sqrt(
    Reduce(
      `+`, Map(function(weights, variance) variance * rowSums(weights^2), node_weights, variances)
    )
  )
}

# ---- uncertainty ----

# The covariance matrix of linear functions (rows) of the unbiased estimate, or their variances
# only. Depths are independent samples of the population. If truths are fixed, only the
# randomization and the drawing of depths are random: the expected variance of the truths' shares is
# left out.
law_functions.rr_law_hierarchy <- function(law, evidence, functions, target, variances = FALSE) {
  depths <- depth_evidence(law, evidence)
  node_weights <- node_functions(law, functions, depth_variances(law, depths))
  covariance <- Reduce(
    `+`,
    Map(
      function(depth_law, d, weights) law_functions(depth_law, d, weights, "population", variances),
      law$laws, depths, node_weights
    )
  )
  if (target == "population") return(covariance)
  theta <- law_unbiased(law, evidence)
  n <- evidence$n
  means <- drop(functions %*% theta)
  if (variances) {
    return(
      covariance * (1 - 1 / n) -
        (drop(functions^2 %*% theta) - means^2) / n
    )
  }
  covariance * (1 - 1 / n) -
    (functions %*% (theta * t(functions)) - outer(means, means)) / n
}

# The mean squares of the terms of the estimate. Depths are drawn: the term of a report is the term
# of its depth times the number of depths, and the constant of the root. The number of reports of
# each depth is known, and so the variance is a little less than by these moments.
law_second_moments.rr_law_hierarchy <- function(law, k, weights) {
  height <- length(law$laws)
  node_weights <- node_functions(law, matrix(weights, 1), law$unit)
  moments <- Map(
    function(depth_law, functions) law_second_moments(depth_law, ncol(functions), drop(functions)),
    law$laws, node_weights
  )
  if (any(lengths(moments) == 0L)) return(NULL)
  leaves <- function(nodes, depth) nodes[node_of(law, depth)]
  means <- Reduce(
    `+`,
    Map(
      function(functions, depth) leaves(drop(functions), depth), node_weights, seq_len(height)
    )
  )
  constant <- weights[1] - means[1]
  height * Reduce(`+`, Map(leaves, moments, seq_len(height))) +
    2 * constant * means + constant^2
}

unbiased_covariance.rr_law_hierarchy <- function(law, evidence, cells, target, unbiased) {
  law_functions(law, evidence, unit_rows(cells, law$truths), target)
}

# The variances of the unbiased estimate, in chunks of functions that fit in memory. If there are
# 10,000 levels or more, it takes minutes, and a bar shows the progress.
unbiased_variances.rr_law_hierarchy <- function(law, evidence, cells, target, unbiased) {
  chunks <- split(
    cells, (seq_along(cells) - 1) %/% max(1, floor(2e6 / law$truths))
  )
  unlist(
    lapply(cli::cli_progress_along(chunks, "Variances"), function(i) {
      law_functions(
        law, evidence, unit_rows(chunks[[i]], law$truths), target, variances = TRUE
      )
    }),
    use.names = FALSE
  )
}

unit_rows <- function(cells, k) 1 * outer(cells, seq_len(k), `==`)

# The score interval, with the estimated second moment of the estimate's terms. Nearly all of this
# moment comes from the randomization, so the share of one level changes it little.
law_intervals.rr_law_hierarchy <- function(
  law, evidence, estimate, interval, conf.level, cells, target
) {
  inv <- law_unbiased(law, evidence)[cells]
  n <- evidence$n
  variance <- n * law_variances(law, evidence, identity_map(law$truths), cells, target)
  second <- pmax(variance + if (target == "population") inv^2 else inv, variance)
  moment_intervals(inv, second, second, n, conf.level, target)
}

# ---- the likelihood of the reports ----
#
# The node of the level is what a respondent of depth l reports, by the oracle of that depth. The
# log-likelihood, with S the sums of the shares of the levels over nodes, is
#    l(theta) = sum over depths of the log-likelihood of the depth's reports at S theta
#               - n log(number of depths)
# The different reports of all depths are rows of one channel from levels to reports, for the
# certified solver. If an oracle's counts determine its likelihood, its rows come from the counts.
# If reports support sets or are bits, rr_tally(keep = "sets") keeps them: the number of the depth
# in a byte, the bytes of the report, and zeros up to the longest.

# The laws of the depths, each with the sets that were kept of its reports.
depth_laws <- function(law) {
  if (is.null(law$sets)) return(law$laws)
  lapply(seq_along(law$laws), function(l) {
    depth_law <- law$laws[[l]]
    width <- set_bytes(depth_law, law$nodes[l])
    if (width > 0) {
      rows <- which(law$sets$bits[, 1] == as.raw(l))
      depth_law$sets <- list(
        bits = law$sets$bits[rows, 1 + seq_len(width), drop = FALSE],
        times = law$sets$times[rows]
      )
    }
    depth_law
  })
}

#' @export
set_bytes.rr_law_hierarchy <- function(law, k) {
  max_bytes <- max(mapply(set_bytes, law$laws, law$nodes))
  if (max_bytes > 0) 1 + max_bytes else 0
}

# A row for each report that was given, a column for each level: its probabilities over a factor of
# its own.
report_channel.rr_law_hierarchy <- function(law, evidence) {
  laws <- depth_laws(law)
  times <- lapply(seq_along(laws), function(l) {
    sets <- laws[[l]]$sets
    if (is.null(sets)) {
      evidence$counts[law$rows[[l]]][-1]
    } else {
      sets$times * (evidence$n / evidence$raw$n)
    }
  })
  evidence$counts <- unlist(times)
  check_rows_size(length(evidence$counts), law$truths)
  rows <- Map(node_rows, laws, law$nodes)
  matrix <- do.call(
    rbind,
    lapply(seq_along(rows), function(l) {
      rows[[l]]$matrix[, node_of(law, l), drop = FALSE]
    })
  )
  list(law = new_law_channel(list(list(matrix = matrix))), evidence = evidence,
       logs = unlist(lapply(rows, `[[`, "logs")) - log(length(laws)))
}

# The rows of one depth as list(matrix, logs), a column for each node.
node_rows <- function(law, k) {
  reports <- if (!is.null(law$sets)) {
    report_channel(law, list(k = k, n = 1, raw = list(n = 1)))
  }
  axes <- if (is.null(reports)) law_axes(law, k) else reports$law$axes
  matrix <- matrix(.Call(C_rr_channel_rows, axes, seq_len(k)), ncol = k)
  list(matrix = matrix, logs = reports$logs %||% numeric(nrow(matrix)))
}

law_unlikely.rr_law_hierarchy <- function(law, evidence, alpha) {
  any(vapply(depth_evidence(law, evidence), function(depth) {
    law_unlikely(depth$law, depth, alpha / length(law$laws))
  }, NA))
}
