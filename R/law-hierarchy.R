# The law of a hierarchy: at each depth the law of its oracle, on the nodes of that depth, for those who drew it.
# Counts are, depth after depth, how many drew it and the oracle's own. The unbiased estimate is the generalised least
# squares fit of the levels to the estimates of all nodes, the root being 1, with one variance for all nodes of a
# depth. It is linear in these: a function of the levels is a function of the nodes of each depth, and depths are
# independent, given how many drew them.

law_words.rr_law_hierarchy <- function(law) "a report is about a node of a tree, at a depth that was drawn"

law_tells_nothing.rr_law_hierarchy <- function(law) FALSE

# Nodes of each depth to which the levels belong.
node_of <- function(law, depth) (seq_len(law$truths) - 1) %/% law$fanout^(length(law$nodes) - depth) + 1

# Sums over the children of each node; `x` is a vector or a matrix with one row a node.
over_children <- function(law, x) {
  parent <- (seq_len(NROW(x)) - 1) %/% law$fanout + 1
  sums <- rowsum(x, parent, reorder = FALSE)
  if (is.matrix(x)) unname(sums) else as.vector(sums)
}

parents <- function(law, depth) (seq_len(law$nodes[depth]) - 1) %/% law$fanout + 1

law_reported.rr_law_hierarchy <- function(law, theta) {
  unlist(lapply(seq_along(law$laws), function(l) {
    shares <- as.vector(rowsum(theta, node_of(law, l), reorder = FALSE))
    c(1, law_reported(law$laws[[l]], shares)) / length(law$laws)
  }), use.names = FALSE)
}

# ---- estimates ----

# The evidence of each depth and the unbiased estimates of its nodes.
depth_evidence <- function(law, evidence) {
  lapply(seq_along(law$laws), function(l) {
    counts <- evidence$counts[law$rows[[l]]]
    if (counts[1] <= 0) {
      abort(c("Each depth of the hierarchy must have been drawn by somebody.", x = "Nobody drew depth {l}.",
              i = "A tree of fewer depths has a larger {.arg fanout}."), "empty")
    }
    new_evidence(law$laws[[l]], counts[-1], counts[1], counts[1], law$nodes[l], law$mechanisms[[l]])
  })
}

# The weights of both passes, from the variance of a node at each depth. `own`: of a node's own estimate beside the
# sum of its children's; `part`: the part of its parent's correction that a node gets.
tree_weights <- function(law, variances) {
  depths <- length(variances)
  below <- own <- part <- vector("list", depths)
  below[[depths]] <- rep(variances[depths], law$nodes[depths])
  own[[depths]] <- rep(1, law$nodes[depths])
  for (l in rev(seq_len(depths - 1))) {
    children <- over_children(law, below[[l + 1]])
    own[[l]] <- children / (variances[l] + children)
    below[[l]] <- variances[l] * own[[l]]
  }
  for (l in seq_len(depths)) {
    siblings <- if (l == 1) sum(below[[1]]) else over_children(law, below[[l]])[parents(law, l)]
    part[[l]] <- below[[l]] / siblings
  }
  list(own = own, part = part)
}

# Consistent estimates of the nodes of all depths from their own, a vector for each depth.
consistent_nodes <- function(law, nodes, variances) {
  weights <- tree_weights(law, variances)
  depths <- length(nodes)
  for (l in rev(seq_len(depths - 1))) {
    nodes[[l]] <- weights$own[[l]] * nodes[[l]] + (1 - weights$own[[l]]) * over_children(law, nodes[[l + 1]])
  }
  for (l in seq_len(depths)) {
    missing <- if (l == 1) 1 - sum(nodes[[1]]) else (nodes[[l - 1]] - over_children(law, nodes[[l]]))[parents(law, l)]
    nodes[[l]] <- nodes[[l]] + weights$part[[l]] * missing
  }
  nodes
}

# The same as functions: rows of `functions` are weights of the levels, and of the matrices that are returned, one for
# each depth, weights of its nodes' own estimates. What is left is a constant: the root. The passes of
# consistent_nodes(), backwards and transposed.
node_functions <- function(law, functions, variances) {
  weights <- tree_weights(law, variances)
  depths <- length(variances)
  at <- vector("list", depths)
  down <- t(functions)
  for (l in rev(seq_len(depths))) {
    carried <- weights$part[[l]] * down
    up <- if (l == 1) matrix(colSums(carried), 1) else over_children(law, carried)
    at[[l]] <- down - up[if (l == 1) rep(1, law$nodes[1]) else parents(law, l), , drop = FALSE]
    down <- up
  }
  for (l in seq_len(depths - 1)) {
    at[[l + 1]] <- at[[l + 1]] + ((1 - weights$own[[l]]) * at[[l]])[parents(law, l + 1), , drop = FALSE]
    at[[l]] <- weights$own[[l]] * at[[l]]
  }
  lapply(at, t)
}

depth_variances <- function(law, depths) law$unit / vapply(depths, function(d) d$n, 0)

law_unbiased.rr_law_hierarchy <- function(law, evidence) {
  depths <- depth_evidence(law, evidence)
  nodes <- lapply(depths, function(d) d$unbiased())
  consistent_nodes(law, nodes, depth_variances(law, depths))[[length(nodes)]]
}

# For a level that nobody holds, as at even shares.
law_blank_error.rr_law_hierarchy <- function(law, evidence) {
  variances <- depth_variances(law, depth_evidence(law, evidence))
  at <- node_functions(law, diag(law$truths), variances)
  sqrt(Reduce(`+`, Map(function(weights, variance) variance * rowSums(weights^2), at, variances)))
}

# ---- uncertainty ----

# The covariance matrix of linear functions (rows) of the unbiased estimate, or their variances only. Depths are
# independent samples of the population. Of fixed truths only the randomisation and the drawing of depths are random:
# the variance of the truths' own shares is left out, in expectation.
law_functions.rr_law_hierarchy <- function(law, evidence, functions, target, variances = FALSE) {
  depths <- depth_evidence(law, evidence)
  at <- node_functions(law, functions, depth_variances(law, depths))
  covariance <- Reduce(`+`, Map(function(part, d, weights) law_functions(part, d, weights, "population", variances),
                                law$laws, depths, at))
  if (target == "population") return(covariance)
  theta <- law_unbiased(law, evidence)
  n <- evidence$n
  means <- drop(functions %*% theta)
  if (variances) return(covariance * (1 - 1 / n) - (drop(functions^2 %*% theta) - means^2) / n)
  covariance * (1 - 1 / n) - (functions %*% (theta * t(functions)) - outer(means, means)) / n
}

# Depths are drawn: the term of a report is that of its depth times their number, and the constant of the root. That the
# number of reports of each depth is known makes the variance a little less than by these moments.
law_second_moments.rr_law_hierarchy <- function(law, k, weights) {
  height <- length(law$laws)
  at <- node_functions(law, matrix(weights, 1), law$unit)
  parts <- Map(function(part, functions) law_second_moments(part, ncol(functions), drop(functions)), law$laws, at)
  if (any(lengths(parts) == 0L)) return(NULL)
  leaves <- function(nodes, depth) nodes[node_of(law, depth)]
  means <- Reduce(`+`, Map(function(functions, depth) leaves(drop(functions), depth), at, seq_len(height)))
  constant <- weights[1] - means[1]
  height * Reduce(`+`, Map(leaves, parts, seq_len(height))) + 2 * constant * means + constant^2
}

law_variances.rr_law_hierarchy <- function(law, evidence, map, which, target) {
  if (!is_whole(map)) return(diag(law_covariance(law, evidence, map, which, target)))
  # So many functions at a time that they fit in memory.
  step <- max(1, floor(2e6 / law$truths))
  parts <- split(which, (seq_along(which) - 1) %/% step)
  # Minutes from 10,000 levels on: a bar says how far it is.
  variance <- unlist(lapply(cli::cli_progress_along(parts, "Variances"), function(i) {
    law_functions(law, evidence, unit_rows(parts[[i]], law$truths), target, variances = TRUE)
  }), use.names = FALSE)
  ifelse(map$support[which], variance, 0)
}

unit_rows <- function(cells, k) {
  rows <- matrix(0, length(cells), k)
  rows[cbind(seq_along(cells), cells)] <- 1
  rows
}

# The score interval, with the estimated second moment of the estimate's terms. Nearly all of this moment comes from the
# randomisation, so the share of one level changes it little.
law_intervals.rr_law_hierarchy <- function(law, evidence, estimate, interval, level, which, target) {
  inv <- law_unbiased(law, evidence)[which]
  n <- evidence$n
  variance <- n * law_variances(law, evidence, whole_map(law$truths), which, target)
  second <- pmax(variance + if (target == "population") inv^2 else inv, variance)
  moment_intervals(inv, second, second, n, level, target)
}

law_transition.rr_law_hierarchy <- function(law, range) "  P(report given truth): see its depths"
