# Published randomized-response surveys, as counts. tools/data/make-data.R types them in.

#' Published surveys with sensitive questions, and a simulated one
#'
#' Six surveys whose counts were published, for examples and as check values, and a simulated survey with covariates.
#'
#' * `nigeria_survey`: contact with armed groups, civilians in Nigeria. Design: forced response by a die. Respondents: 2,435.
#' * `benefit_survey`: two rules of unemployment benefit, Netherlands. Design: Kuk's cards. Respondents: 412.
#' * `plagiarism_survey`: partial and severe plagiarism, students in Zurich, Munich and Leipzig. Design: crosswise, direct. Respondents: 2 questions.
#' * `exam_survey`: five kinds of misconduct, students in Bern and Zurich. Design: forced response in two groups, direct. Respondents: 2,137.
#' * `minaret_survey`: the Swiss ban on minarets. Design: stochastic lie detector in two groups, direct. Respondents: 1,621.
#' * `dice_survey`: cheating in a dice game, online workers, **truth known**. Design: forced response, crosswise in two groups, direct. Respondents:
#'   see there.
#'
#' @section nigeria_survey:
#' A respondent threw a die in private: "no" on a 1, "yes" on a 6, otherwise the truth. 22 of 2,457 gave no answer and are not counted. Check value: prevalence 0.26191, standard error
#' 0.01441 (population).
#'
#' @section benefit_survey:
#' Respondents drew one card from each of two packs, 80% red and 20% red. They named the colour of the card from the first pack if the truth was yes, and from the second if it was no. "yes"
#' stands for a reported red card. The survey is a standard boundary case: inversion of the joint table gives one cell a negative share.
#'
#' | truth | inversion | maximum likelihood |
#' |---|---|---|
#' | yes, yes | 0.1772 | 0.1650 |
#' | yes, no  | -0.0251 | 0 |
#' | no, yes  | 0.1812 | 0.1901 |
#' | no, no   | 0.6667 | 0.6449 |
#'
#' @section plagiarism_survey:
#' Students answered on paper, in class, about a paper they had handed in. The innocuous question holds for a quarter of the population. In the crosswise rows `yes` counts the answer "the same", so
#' that `p` = 0.25 is *smaller* than `q` = 0.75. Check values (prevalence by inversion, standard error for the population): partial 0.2226 (0.0547), severe 0.0161 (0.0498); direct 7 of
#' 96 and 1 of 96.
#'
#' @section exam_survey:
#' The questions are about copying in an exam, crib notes, drugs, handing in plagiarism, and handing in someone else's work. Respondents were assigned at random to direct questions (720) or to
#' forced response in two groups. The truth was told with probability 2/3 (722) and 3/4 (695), and a yes was forced with probability 1/6 in both. Three of the ten forced-response estimates by
#' inversion are negative. Check values (the two groups weighted by inverse variance): copied 0.246, crib notes 0.158, drugs -0.004, plagiarism 0.027, other's work -0.020.
#'
#' @section minaret_survey:
#' A respondent whose truth is no says no with a known probability, 2/12 or 10/12, and yes otherwise. A respondent whose truth is yes should say yes, and does so with an unknown probability \eqn{t}.
#' With \eqn{q_g} = P(yes given no) and \eqn{\lambda_g} the reported share of yes in group \eqn{g}, \eqn{\lambda_g = \pi t + (1 - \pi) q_g}, so that
#' \deqn{\hat\pi = 1 - \frac{\lambda_1 - \lambda_2}{q_1 - q_2}, \qquad
#'       \hat t = \frac{q_1 \lambda_2 - q_2 \lambda_1}{(q_1 - q_2)\,\hat\pi}.}{pi-hat =
#'       1 - (lambda_1 - lambda_2)/(q_1 - q_2),
#'       t-hat = (q_1 lambda_2 - q_2 lambda_1)/((q_1 - q_2) pi-hat).}
#' Check values: prevalence 0.8707 (standard error 0.0411) and honesty \eqn{t} 0.6358 (0.0173). 158 of 365 said yes to the direct question.
#'
#' @section dice_survey:
#' Workers of Amazon Mechanical Turk played a dice game for money in which the experimenters could tell who had cheated. Afterwards they were asked whether they had played honestly. The data hold the
#' respondents whose play is known for certain. A perfect design would find 1 among those who cheated and 0 among the others. Forced response finds 0.411 of the cheaters (direct question: 0.706) and
#' -0.043 among honest players: fewer of them said yes than the die had told to. The crosswise design finds 0.088 and 0.149 among honest players. The randomization was correct; the errors come from
#' how people answered, and no estimator can correct them.
#'
#' @format Tibbles with one row per group (`benefit_survey`: per pair of reports) and these columns:
#'
#' * `item`: what was asked (not in `benefit_survey`, `dice_survey`).
#' * `truth`: `cheated` or `honest` (`dice_survey` alone).
#' * `design`: how it was asked; groups of one design differ in `p` or `q`.
#' * `p`, `q`: P(yes given yes) and P(yes given no); `p` is `NA` under the stochastic lie detector.
#' * `no`, `yes`: number of respondents who reported no and yes (crosswise: different and the same).
#' * `item1`, `item2`, `count`: the two reports, and the number of respondents (`benefit_survey` alone).
#' @source `nigeria_survey`: Blair, G., Imai, K. and Zhou, Y.-Y. (2015). Design and analysis of the randomized response
#'   technique. *Journal of the American Statistical Association* 110(511), 1304-1319. \doi{10.1080/01621459.2015.1050028}
#'
#'   `benefit_survey`: van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical disclosure control and misclassification: a review. *International Statistical
#'   Review* 70(2), 269-288. \doi{10.1111/j.1751-5823.2002.tb00363.x}
#'
#'   `plagiarism_survey`: Jann, B., Jerke, J. and Krumpal, I. (2012). Asking sensitive questions using the crosswise
#'   model: an experimental survey measuring plagiarism. *Public Opinion Quarterly* 76(1), 32-49. \doi{10.1093/poq/nfr036}
#'
#'   `exam_survey`: Hoeglinger, M., Jann, B. and Diekmann, A. (2016). Sensitive questions in online surveys: an
#'   experimental evaluation of different implementations of the randomized response technique and the
#'   crosswise model. *Survey Research Methods* 10(3), 171-187. \doi{10.18148/srm/2016.v10i3.6703}
#'
#'   `minaret_survey`: Radukic and Musch (2014), counted from the data set `minarets` of Heck, D. W. and Moshagen, M.
#'   (2018). RRreg: an R package for correlation and regression analyses of randomized response data.
#'   *Journal of Statistical Software* 85(2), 1-29. \doi{10.18637/jss.v085.i02}. The design: Moshagen, M., Musch, J. and Erdfelder, E. (2012). A stochastic lie detector. *Behavior
#'   Research Methods* 44, 222-231. \doi{10.3758/s13428-011-0144-2}
#'
#'   `dice_survey`: Hoeglinger, M. and Jann, B. (2018). More is not always better: an experimental individual-level
#'   validation of the randomized response technique and the crosswise model. *PLoS ONE* 13(8), e0201770.
#'   \doi{10.1371/journal.pone.0201770}
#' @seealso [rr_binary()], [rr_forced()], [rr_lie_detector()], [rr_counts()]; [rr_glm()], [rr_multinom()] and [rr_predictor()] for `exam_simulated`.
#' @concept data
#' @concept sensitive questions
#' @concept validation of randomized response
#' @srrstats {G5.0, G5.1} Published surveys are exported; examples and tests use them.
#' @name surveys
#' @rdname surveys
#' @aliases benefit_survey
#' @examples
#' # How many civilians had contact with armed groups?
#' with(nigeria_survey, rr_counts(c(no = no, yes = yes), rr_binary(p, q))) |>
#'   rr_estimate() |>
#'   tidy()
#' # 0.262 (standard error 0.014)
#'
#' # Which pairs of rules were broken? A negative cell by inversion,
#' # none by maximum likelihood
#' questions <- rr_product(item1 = rr_kuk(0.8, 0.2), item2 = rr_kuk(0.8, 0.2))
#' joint <- xtabs(count ~ item1 + item2, benefit_survey) |>
#'   rr_counts(questions)
#' rr_estimate(joint, method = "inv") |> as.table()
#' rr_estimate(joint) |> as.table()   # yes, no: 0
#'
#' # All forms of misconduct in one table
#' estimate_yes <- function(p, q, yes, no) {
#'   fit <- rr_counts(c(no = no, yes = yes), rr_binary(p, q)) |>
#'     rr_estimate(method = "inv")
#'   subset(tidy(fit), term == "yes", c("estimate", "std.error"))
#' }
#' rows <- with(exam_survey, Map(estimate_yes, p, q, yes, no))
#' cbind(exam_survey[c("item", "design", "p")], do.call(rbind, rows))
#'
#' # Does forced response find those who cheated?
#' cheated <- subset(dice_survey,
#'                   truth == "cheated" & design == "forced response")
#' with(cheated, rr_counts(c(no = no, yes = yes), rr_binary(p, q))) |>
#'   rr_estimate() |>
#'   coef()
#' # 0.411: most deny it
#'
#' # The ban on minarets: see ?rr_lie_detector
"benefit_survey"

#' @rdname surveys
#' @format NULL
"nigeria_survey"

#' @rdname surveys
#' @format NULL
"plagiarism_survey"

#' @rdname surveys
#' @format NULL
"exam_survey"

#' @rdname surveys
#' @format NULL
"dice_survey"

#' @rdname surveys
#' @format NULL
"minaret_survey"

#' @section A simulated survey:
#' `exam_simulated` is a *simulated* survey of 2,000 students, for the examples of regression. Nobody was asked. It has a row for each student, and unlike a real survey it contains the truths.
#'
#' * `semester` 1 to 10; `female` 0 or 1; `grade` of the last exam, the higher the better.
#' * `cheating`, `plagiarism`: the *reports*, factors with the levels `never`, `once`, `often`, and `no`, `yes`.
#' * `true_cheating`, `true_plagiarism`: the truths.
#'
#' They were drawn by tools/data/make-data.R of the sources of the package:
#' * `cheating`: truth multinomial logit; log odds against never \eqn{-1.2 + 0.15\,semester - 0.4\,female}{-1.2 + 0.15 semester - 0.4 female} (once)
#'   and \eqn{-2 + 0.25\,semester - 0.8\,female}{-2 + 0.25 semester - 0.8 female} (often); report [rr_grr()] with three levels and `p = 0.8`.
#' * `plagiarism`: truth log odds \eqn{-2 + 0.1\,semester}{-2 + 0.1 semester}, plus 0.5 for once and 1 for often; report [rr_forced()] with 1/6.
#' * `grade`: truth \eqn{4 + 0.05\,semester}{4 + 0.05 semester}, plus 0.2 for once and 0.5 for often, with normal errors of standard deviation 0.6;
#'   report not randomized.
#'
#' @format NULL
#' @rdname surveys
#' @concept regression example
#' @examples
#'
#' # Simulated exams. What is the effect of cheating on the grade: from the
#' # truths, from reports taken as truths, and estimated from the reports?
#' coef(lm(grade ~ semester + true_cheating, exam_simulated))
#' coef(lm(grade ~ semester + cheating, exam_simulated))
#' often <- rr_grr(levels(exam_simulated$cheating), p = 0.8)
#' coef(rr_predictor(grade ~ semester + cheating, exam_simulated,
#'                   list(cheating = often)))
#' # often: 0.50
"exam_simulated"
