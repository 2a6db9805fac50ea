# Published randomized-response surveys, as counts. tools/data/make-data.R types them in.

#' Two rules of unemployment benefit, Netherlands
#'
#' 412 recipients of unemployment benefit in the Netherlands were asked whether they had broken each of two
#' rules of the scheme. Both questions used Kuk's design: the respondent draws one card from each of two
#' packs, 80 per cent red and 20 per cent red, and names the colour of the card from the first pack if the
#' truth is yes and from the second if it is no. "yes" below stands for a reported red card.
#'
#' The survey is a standard example of a boundary case. Each item alone is unremarkable, but linear
#' inversion of the joint table gives the cell "yes to the first, no to the second" a negative share, so
#' the maximum likelihood estimate of that cell is 0:
#'
#' | truth | inversion | maximum likelihood |
#' |---|---|---|
#' | yes, yes | 0.1772 | 0.1650 |
#' | yes, no  | -0.0251 | 0 |
#' | no, yes  | 0.1812 | 0.1901 |
#' | no, no   | 0.6667 | 0.6449 |
#'
#' @format A tibble with 4 rows, one per pair of reports, and 5 columns:
#' \describe{
#'   \item{item1, item2}{the report to each question, a factor with levels `no` and `yes`.}
#'   \item{p}{P(yes given yes), the same for both items.}
#'   \item{q}{P(yes given no), the same for both items.}
#'   \item{count}{number of respondents who gave this pair of reports.}
#' }
#' @source van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical
#'   disclosure control and misclassification: a review. *International Statistical Review* 70(2), 269-288.
#' @examples
#' # each item on its own
#' xtabs(count ~ item1, benefit_survey) |> rr_counts(rr_kuk(0.8, 0.2)) |> rr_estimate() |> tidy()
#' xtabs(count ~ item2, benefit_survey) |> rr_counts(rr_kuk(0.8, 0.2)) |> rr_estimate() |> tidy()
#'
#' # both together: a negative cell by inversion, none by maximum likelihood
#' questions <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2))
#' joint <- xtabs(count ~ item1 + item2, benefit_survey) |> rr_counts(questions)
#' rr_estimate(joint, method = "inv") |> as.table()
#' rr_estimate(joint) |> as.table()
"benefit_survey"

#' Contact with armed groups, Nigeria
#'
#' 2457 civilians in Nigeria were asked whether they held direct social connections with members of armed
#' groups; 22 gave no answer and are not counted here. The design was forced response with one throw of a
#' die that only the respondent saw: say "no" on a 1, say "yes" on a 6, otherwise tell the truth.
#'
#' Check value: the estimated share of yes is 0.26191, with a standard error of 0.01441 for the population.
#'
#' @format A tibble with 1 row and 6 columns:
#' \describe{
#'   \item{item}{what was asked.}
#'   \item{design}{how it was asked.}
#'   \item{p}{P(yes given yes), 5/6.}
#'   \item{q}{P(yes given no), 1/6.}
#'   \item{no, yes}{number of respondents who reported no and yes.}
#' }
#' @source Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response
#'   technique. *Journal of the American Statistical Association* 110(511), 1304-1319.
#'   \doi{10.1080/01621459.2015.1050028}
#' @examples
#' with(nigeria_survey, rr_counts(c(no = no, yes = yes), rr_binary(p, q))) |> rr_estimate() |> tidy()
#'
#' # the same design by its own name
#' rr_counts(c(no = 1604, yes = 831), rr_forced(1 / 6)) |> rr_estimate() |> tidy()
"nigeria_survey"

#' Plagiarism among students, Zurich, Munich and Leipzig
#'
#' Students of ETH Zurich, LMU Munich and the University of Leipzig answered two questions on paper, in
#' class: about partial and about severe plagiarism in a paper they had handed in. One group was asked
#' directly; the others by the crosswise model, which pairs the sensitive question with an innocuous one that
#' holds for a quarter of the population, and asks only whether the two answers are the same.
#'
#' In the crosswise rows `yes` counts the answer "the same", so that `p` = P(the same given yes) = 0.25 is
#' *smaller* than `q` = P(the same given no) = 0.75. A design with `p < q` is legitimate; the package
#' estimates it as it stands.
#'
#' Check values (share of yes by inversion, standard error for the population): partial 0.2226 (0.0547),
#' severe 0.0161 (0.0498); direct 7 of 96 and 1 of 96.
#'
#' @format A tibble with 4 rows, one per item and design, and 6 columns:
#' \describe{
#'   \item{item}{`partial` or `severe` plagiarism.}
#'   \item{design}{`crosswise` or `direct`.}
#'   \item{p}{P(yes given yes).}
#'   \item{q}{P(yes given no).}
#'   \item{no, yes}{number of respondents who reported no and yes (crosswise: different and the same).}
#' }
#' @source Jann, B., Jerke, J. and Krumpal, I. (2012). Asking sensitive questions using the crosswise
#'   model: an experimental survey measuring plagiarism. *Public Opinion Quarterly* 76(1), 32-49.
#' @examples
#' partial <- subset(plagiarism_survey, item == "partial" & design == "crosswise")
#' with(partial, rr_counts(c(no = no, yes = yes), rr_binary(p, q))) |>
#'   rr_estimate(method = "inv") |>
#'   tidy()
"plagiarism_survey"

#' Exams and written papers, Bern and Zurich
#'
#' Five questions on misconduct to students of the University of Bern and ETH Zurich in an online survey:
#' copying in an exam, crib notes, drugs, handing in plagiarism, and handing in someone else's work.
#' Respondents were assigned at
#' random to direct questions (n = 720) or to forced response, in two groups that told the truth with
#' probability 2/3 (n = 722) and 3/4 (n = 695) and were made to say yes with probability 1/6 in both.
#'
#' Three of the ten forced-response estimates by inversion are negative, as unbiased estimates of rare
#' behaviour must often be; the maximum likelihood estimate there is 0.
#'
#' Check values: the inversion estimates of the two forced-response groups, weighted by their inverse
#' variances, are 0.246 (copied), 0.158 (crib notes), -0.004 (drugs), 0.027 (plagiarism) and -0.020 (other's
#' work).
#'
#' @format A tibble with 15 rows, one per item and group, and 6 columns:
#' \describe{
#'   \item{item}{what was asked.}
#'   \item{design}{`forced response` (twice, told apart by `p`) or `direct`.}
#'   \item{p}{P(yes given yes): 5/6, 11/12 or 1.}
#'   \item{q}{P(yes given no): 1/6, 1/6 or 0.}
#'   \item{no, yes}{number of respondents who reported no and yes.}
#' }
#' @source Hoeglinger, M., Jann, B. and Diekmann, A. (2016). Sensitive questions in online surveys: an
#'   experimental evaluation of different implementations of the randomized response technique and the
#'   crosswise model. *Survey Research Methods* 10(3), 171-187. \doi{10.18148/srm/2016.v10i3.6703}
#' @examples
#' copied <- subset(exam_survey, item == "copied" & design == "forced response")[1, ]
#' with(copied, rr_counts(c(no = no, yes = yes), rr_binary(p, q))) |> rr_estimate() |> tidy()
#'
#' # every row, as one table
#' estimate_yes <- function(p, q, yes, no) {
#'   fit <- rr_counts(c(no = no, yes = yes), rr_binary(p, q)) |> rr_estimate(method = "inv")
#'   subset(tidy(fit), term == "yes", c("estimate", "std.error"))
#' }
#' rows <- with(exam_survey, Map(estimate_yes, p, q, yes, no))
#' cbind(exam_survey[c("item", "design", "p")], do.call(rbind, rows))
"exam_survey"

#' A dice game with known truth
#'
#' Workers of an online platform (Amazon Mechanical Turk) played a dice game for money in which the
#' experimenters could tell who had cheated. Afterwards they were asked whether they had played honestly, directly or by one of several
#' indirect designs. Here are those whose play is known for certain. So, unlike every other survey in the
#' package, this one shows whether the answers were true: a perfect design would find 1 among those who
#' cheated and 0 among those who did not.
#'
#' The randomization was done right and the formulas are exact, so the errors come from how people answered.
#' Under forced response only 0.411 of the cheaters are found (directly: 0.706), and honest players give
#' -0.043: fewer of them said yes than the die alone had told to. Under the crosswise
#' model 0.088 and 0.149 of the honest players seem to have cheated. No estimator can correct this.
#'
#' @format A tibble with 8 rows, one per known truth and group, and 6 columns:
#' \describe{
#'   \item{truth}{what the respondent is known to have done: `cheated` or `honest`.}
#'   \item{design}{`forced response`, `crosswise` (twice, told apart by `p`) or `direct`.}
#'   \item{p}{P(yes given yes).}
#'   \item{q}{P(yes given no).}
#'   \item{no, yes}{number of respondents who reported "I did not cheat" and "I did" (crosswise:
#'     different and the same, see [plagiarism_survey]).}
#' }
#' @source Hoeglinger, M. and Jann, B. (2018). More is not always better: an experimental individual-level
#'   validation of the randomized response technique and the crosswise model. *PLoS ONE* 13(8), e0201770.
#'   \doi{10.1371/journal.pone.0201770}
#' @examples
#' cheated <- subset(dice_survey, truth == "cheated" & design == "forced response")
#' with(cheated, rr_counts(c(no = no, yes = yes), rr_binary(p, q))) |> rr_estimate() |> tidy()
"dice_survey"

#' The Swiss ban on minarets
#'
#' 1621 respondents were asked about the ban on building minarets that Switzerland had voted on: 365
#' directly, the others by the stochastic lie detector. In that design a respondent whose truth is no says
#' no with a known probability, 2/12 in one group and 10/12 in the other, and yes otherwise, while one
#' whose truth is yes is asked to say yes and does so with an unknown probability \eqn{t}. Two groups, two
#' unknowns: the share of yes, \eqn{\pi}, and the honesty \eqn{t} of those who should say yes.
#'
#' With \eqn{q_g} = P(yes given no) and \eqn{\lambda_g} the reported share of yes in group \eqn{g},
#' \eqn{\lambda_g = \pi t + (1 - \pi) q_g}, so that
#' \deqn{\hat\pi = 1 - \frac{\lambda_1 - \lambda_2}{q_1 - q_2}, \qquad
#'       \hat t = \frac{q_1 \lambda_2 - q_2 \lambda_1}{(q_1 - q_2)\,\hat\pi}.}{pi-hat =
#'       1 - (lambda_1 - lambda_2)/(q_1 - q_2),   t-hat = (q_1 lambda_2 - q_2 lambda_1)/((q_1 - q_2) pi-hat).}
#'
#' Check values: \eqn{\hat\pi}{pi-hat} = 0.8707 (standard error 0.0411) and \eqn{\hat t}{t-hat} = 0.6358 (0.0173). Of those
#' asked directly 158 of 365 said yes. Once \eqn{t} is estimated, each group is an ordinary
#' [rr_binary()] design with \eqn{p = \hat t}{p = t-hat}.
#'
#' @format A tibble with 3 rows, one per group, and 6 columns:
#' \describe{
#'   \item{item}{what was asked.}
#'   \item{design}{`stochastic lie detector` (twice, told apart by `q`) or `direct`.}
#'   \item{p}{P(yes given yes): unknown, hence `NA`, under the stochastic lie detector.}
#'   \item{q}{P(yes given no).}
#'   \item{no, yes}{number of respondents who reported no and yes.}
#' }
#' @source Radukic and Musch (2014), counted from the data set `minarets` of Heck, D. W. and Moshagen, M.
#'   (2018). RRreg: an R package for correlation and regression analyses of randomized response data.
#'   *Journal of Statistical Software* 85(2), 1-29. \doi{10.18637/jss.v085.i02}
#' @references Moshagen, M., Musch, J. and Erdfelder, E. (2012). A stochastic lie detector. *Behavior
#'   Research Methods* 44, 222-231. \doi{10.3758/s13428-011-0144-2}
#' @examples
#' groups <- subset(minaret_survey, design != "direct")
#' q <- groups$q
#' n <- groups$yes + groups$no
#' lambda <- groups$yes / n
#' width <- q[1] - q[2]
#'
#' share <- 1 - (lambda[1] - lambda[2]) / width
#' honesty <- (q[1] * lambda[2] - q[2] * lambda[1]) / (width * share)
#'
#' # standard errors: both are functions of two independent binomial shares (delta method)
#' slope_share <- c(-1, 1) / width
#' slope_honesty <- (c(-q[2], q[1]) / width - honesty * slope_share) / share
#' se <- function(slope) sqrt(sum(slope^2 * lambda * (1 - lambda) / n))
#' data.frame(
#'   term = c("share of yes", "honesty of yes"),
#'   estimate = c(share, honesty),
#'   std.error = c(se(slope_share), se(slope_honesty))
#' )
#'
#' # each group as an ordinary design, given the honesty: both return the same share
#' with(groups[1, ], rr_counts(c(no = no, yes = yes), rr_binary(honesty, q))) |>
#'   rr_estimate() |>
#'   coef()
#' with(groups[2, ], rr_counts(c(no = no, yes = yes), rr_binary(honesty, q))) |>
#'   rr_estimate() |>
#'   coef()
"minaret_survey"

#' Exams, simulated
#'
#' A *simulated* survey of 2000 students, made for the examples of regression: nobody was asked. Unlike a real survey it contains the truths, for comparison.
#'
#' * `cheating`: how often a student cheated in exams, by [rr_grr()] with three levels and `p = 0.8` (with probability 0.7 the truth is told, else one of the three answers is
#'   drawn). The truth is a multinomial logit: log odds against never \eqn{-1.2 + 0.15\,semester - 0.4\,female}{-1.2 + 0.15 semester - 0.4 female} (once) and
#'   \eqn{-2 + 0.25\,semester - 0.8\,female}{-2 + 0.25 semester - 0.8 female} (often).
#' * `plagiarism`: a yes/no question by [rr_forced()] with 1/6; the truth has log odds \eqn{-2 + 0.1\,semester}{-2 + 0.1 semester}, plus 0.5 for once and 1 for often.
#' * `grade`: \eqn{4 + 0.05\,semester}{4 + 0.05 semester}, plus 0.2 for once and 0.5 for often, with normal errors of standard deviation 0.6.
#'
#' @format A tibble with 2000 rows, one per student, and 7 columns:
#' \describe{
#'   \item{semester}{1 to 10.}
#'   \item{female}{0 or 1.}
#'   \item{grade}{the grade of the last exam, the higher the better.}
#'   \item{cheating}{the *report*, a factor with levels `never`, `once` and `often`.}
#'   \item{plagiarism}{the *report*, a factor with levels `no` and `yes`.}
#'   \item{true_cheating, true_plagiarism}{the truths, which no survey has.}
#' }
#' @source Simulated by tools/data/make-data.R of the sources of the package.
#' @examples
#' # The effect of cheating on the grade: known truths, reports taken for truths, and the estimate
#' # from the reports
#' coef(lm(grade ~ semester + true_cheating, exam_simulated))
#' coef(lm(grade ~ semester + cheating, exam_simulated))
#' often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
#' coef(rr_predictor(grade ~ semester + cheating, exam_simulated, list(cheating = often)))
"exam_simulated"
