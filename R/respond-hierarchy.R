# Randomising in a hierarchy: the node of each depth is an answer to its own question.

#' @export
prepare_answers.rr_hierarchy <- function(mechanism, x) {
  levels <- prepare_answers.rr_mechanism(mechanism, x)
  nodes <- lapply(rev(seq_len(mechanism$height)) - 1, function(below) as.integer((levels - 1) %/% mechanism$fanout^below) + 1L)
  list(answers = nodes, given = nodes, n = length(levels))
}
