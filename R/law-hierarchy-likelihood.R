# The likelihood of a hierarchy's reports: a respondent of depth l reports the node of the level by the oracle of that
# depth, so that with S the sums of the shares of the levels over nodes
#   l(theta) = sum over depths of the log-likelihood of the depth's reports at S theta - n log(number of depths).
# The different reports of all depths are rows of one channel from levels to reports, for the certified solver. What an
# oracle's counts determine comes from these. Where reports support sets or are bits, rr_tally(keep = "sets") keeps
# them: the number of the depth in a byte, the report's own bytes, and zeros up to the longest.

# The laws of the depths, each with the sets that were kept of its reports.
depth_laws <- function(law) {
  if (is.null(law$sets)) return(law$laws)
  lapply(seq_along(law$laws), function(l) {
    part <- law$laws[[l]]
    width <- set_bytes(part, law$nodes[l])
    if (width > 0) {
      own <- which(law$sets$bits[, 1] == as.raw(l))
      part$sets <- list(bits = law$sets$bits[own, 1 + seq_len(width), drop = FALSE], times = law$sets$times[own])
    }
    part
  })
}

# Bytes of what rr_tally(keep = "sets") keeps of a report, 0 where its counts say as much.
set_bytes <- function(law, k) UseMethod("set_bytes")

#' @export
set_bytes.rr_law <- function(law, k) 0

#' @export
set_bytes.rr_law_support <- function(law, k) ceiling(k / 8)

#' @export
set_bytes.rr_law_bitflip <- function(law, k) 2 * ceiling(k / 8)

#' @export
set_bytes.rr_law_bloom <- function(law, k) ceiling(law$bits / 8) + 4

#' @export
set_bytes.rr_law_hierarchy <- function(law, k) 1 + max(mapply(set_bytes, law$laws, law$nodes))

# list(times, matrix, logs): how often each report was given, its probabilities under the levels (a column each) over a
# factor of its own, and the logarithm of that factor.
hierarchy_rows <- function(law, evidence) {
  laws <- depth_laws(law)
  parts <- lapply(seq_along(laws), function(l) {
    part <- laws[[l]]
    scale <- evidence$n / evidence$given$n
    times <- if (is.null(part$sets)) evidence$counts[law$rows[[l]]][-1] else part$sets$times * scale
    list(law = part, times = times, nodes = law$nodes[l], node_of = node_of(law, l))
  })
  reports <- sum(lengths(lapply(parts, `[[`, "times")))
  if (reports * law$truths > rows_numbers) {
    abort(c("The likelihood of so many different reports does not fit in memory.",
            x = paste("{format_count(reports)} reports of all depths by {format_count(law$truths)} levels take",
                      "{format_bytes(8 * reports * law$truths)}; at most {format_bytes(8 * rows_numbers)} are used."),
            i = "Estimate with {.val inv}, which needs no such table."), "too_large")
  }
  rows <- lapply(parts, function(part) {
    own <- node_rows(part$law, part$nodes)
    list(matrix = own$matrix[, part$node_of, drop = FALSE], logs = own$logs)
  })
  list(times = unlist(lapply(parts, `[[`, "times")), matrix = do.call(rbind, lapply(rows, `[[`, "matrix")),
       logs = unlist(lapply(rows, `[[`, "logs")) - log(length(laws)))
}

# The same of one depth, a column each node.
node_rows <- function(law, k) {
  if (is.null(law$sets)) return(plain_rows(law_axes(law, k), k, 0))
  if (!inherits(law, "rr_law_support")) return(report_rows(law))
  # The constant of law_loglik() for supports.
  log <- if (is.finite(law$odds) && law$odds > 0) log1p(law$odds) else 0
  plain_rows(law_axes(sets_channel(law, list(k = k)), k), k, log)
}

plain_rows <- function(axes, k, log) {
  matrix <- matrix(.Call(C_rr_channel_rows, axes, seq_len(k)), ncol = k)
  list(matrix = matrix, logs = rep(log, nrow(matrix)))
}

hierarchy_channel <- function(law, evidence) {
  rows <- hierarchy_rows(law, evidence)
  evidence$counts <- rows$times
  list(law = new_law_channel(list(list(matrix = rows$matrix))), evidence = evidence)
}

has_likelihood <- function(law) {
  laws <- depth_laws(law)
  all(vapply(seq_along(laws), function(l) law_gives(laws[[l]], "likelihood", law$nodes[l]), NA))
}

law_gives.rr_law_hierarchy <- function(law, need, k) need == "inverse" || (need == "likelihood" && has_likelihood(law))

law_impossible.rr_law_hierarchy <- function(law, counts) {
  for (l in seq_along(law$laws)) {
    rows <- law$rows[[l]]
    at <- law_impossible(law$laws[[l]], counts[rows][-1])
    if (at > 0) return(rows[1 + at])
  }
  0
}

law_maximum.rr_law_hierarchy <- function(law, evidence, options) {
  channel <- hierarchy_channel(law, evidence)
  law_maximum(channel$law, channel$evidence, options)
}

law_update.rr_law_hierarchy <- function(law, evidence, options) {
  channel <- hierarchy_channel(law, evidence)
  law_update(channel$law, channel$evidence, options)
}

law_likelihood_map.rr_law_hierarchy <- function(law, evidence, estimate) {
  if (has_likelihood(law)) list(information = estimate)
}

law_covariance.rr_law_hierarchy <- function(law, evidence, map, which, target) {
  if (!is.null(map$information)) return(hierarchy_information(law, evidence, map, which, target))
  if (!is.null(map$jacobian)) return(jacobian_covariance(law, evidence, map, which, target))
  mapped_covariance(map, which, function(cells) law_functions(law, evidence, unit_rows(cells, law$truths), target))
}

# For fixed truths less what comes from sampling them, as for other sets.
hierarchy_information <- function(law, evidence, map, which, target) {
  channel <- hierarchy_channel(law, evidence)
  covariance <- law_covariance(channel$law, channel$evidence, map, which, "population")
  if (target == "population") return(covariance)
  theta <- map$information[which]
  covariance - (diag(theta, length(theta)) - outer(theta, theta)) / evidence$n
}

law_loglik.rr_law_hierarchy <- function(law, evidence, theta) {
  rows <- hierarchy_rows(law, evidence)
  m <- drop(rows$matrix %*% theta)
  seen <- rows$times > 0
  if (any(m[seen] <= 0)) return(-Inf)
  sum(rows$times[seen] * (log(m) + rows$logs)[seen])
}
