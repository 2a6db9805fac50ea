# Rows of a plan, and how many people give so many answers.

# What one person approached is worth, in answers of a simple random sample.
check_worth <- function(design_effect, response) {
  design_effect <- check_number(design_effect, "design_effect", min = 1)
  response <- check_number(response, "response", min = 0, max = 1, min_open = TRUE, remedy = percent_remedy(response))
  response / design_effect
}

# Whole answers that so many people give, and people for so many answers; the sum of roundings is no answer.
answers_of <- function(n, worth) if (worth == 1) n else floor(n * worth + 1e-9)

people_for <- function(answers, worth) if (worth == 1) answers else ceiling(answers / worth - 1e-9)

plan_rows <- function(name, mechanisms, grid, second, wanted, n, direct) {
  each <- nrow(grid)
  tibble::as_tibble(c(list(mechanism = rep(name, each), epsilon = rep(mechanisms[[name]]$epsilon, each),
                           share = grid$share), if (!is.null(second)) list(versus = rep(second$share, each)), wanted,
                      list(n = n, direct = direct)))
}
