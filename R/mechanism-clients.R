#' Clients in other languages: the specification
#'
#' [rr_client()] writes clients in JavaScript and Python. This page specifies what a client in another language must compute, so that it randomizes as
#' [rr_perturb()] does and [rr_tally()] counts its reports.
#'
#' A client reads a *plan*: `rr_client(mechanism, "plan.json", as = "plan")`. The plan holds labels, sizes, public numbers, and the probabilities of R's own
#' sampler. A client computes no exponential and rounds nothing. The file `vectors.json` in `system.file("client", package = "candor")` has test
#' vectors: plans, answers and random words with the reports that follow. [rr_check_client()] tests the reports of a finished client.
#'
#' @section Files:
#' A file is a JSON object:
#'
#' * `format`, `version`: `"candor client"` and 1; a client refuses any other.
#' * `epsilon`: left out if it is infinite.
#' * `mechanism`: the mechanism that made the plan.
#' * `plan`: the plan, for one question.
#' * `questions`: for an [rr_product()]: an array of objects with `name` and `plan`; draws are in this order, after all
#'   answers were looked up.
#' * `sample`: `true` for [`rr_product(asked = 1)`][rr_product]: the report is about one question, uniform below the number of questions that were answered, all or
#'   one; it is `{question, report}` with the report as text.
#'
#' Every plan has `kind`, `k`, `levels` (labels of the answers) and `reports` (labels of the reports; empty if reports are not categories). Positions count
#' from 0: the answer \eqn{x} is its place among `levels`. With `breaks`, a number is in bin \eqn{x} if
#' \eqn{breaks_x \le number < breaks_{x+1}}{breaks[x] <= number < breaks[x + 1]}; the last bin also holds its upper bound. An answer that is not found gives an
#' error, and the error does not contain the answer.
#'
#' @section Random words:
#' \eqn{W} is the next word of 32 bits of a cryptographic generator, such as the generator of the operating system. Without a generator a client stops, and also if the generator
#' repeats itself: among 128 words there must be at least 124 different ones. There is no seed,
#' and the public numbers below are never used as randomness.
#'
#' * **Probabilities** are text: 16 hexadecimal digits, a whole number of \eqn{2^{-64}}{2^-64}, or `"1"`. For "\eqn{U < p}" take two words, the first being the
#'   upper one, and compare the number of 64 bits with \eqn{p}. Both words are always taken, so that the time does not reveal the answer; \eqn{U < 1} always.
#' * **Uniform** on 0, ..., \eqn{m - 1}: take \eqn{W} until \eqn{W < 2^{32} - (2^{32} \bmod m)}{W < 2^32 - (2^32 mod m)}, and then \eqn{W \bmod m}{W mod m}.
#' * **A set** of `size` numbers of a list: for \eqn{i = 0, \dots, size - 1}{i = 0, ..., size - 1} exchange the entries \eqn{i} and \eqn{i + r}, with \eqn{r}
#'   uniform below the length of the list less \eqn{i}. The set is the first `size` entries, sorted. The list is 0, ..., \eqn{k - 1} in this order, without
#'   \eqn{x} if \eqn{x} is in the set already.
#'
#' **Rounding.** The probability of the truth (`chance`, `own`) is rounded down, all others (`other`, `flip`) up. A client that computes its own thresholds must
#' round in the same direction; otherwise its epsilon is larger than promised. `rr_epsilon(mechanism, achieved = TRUE)` is the epsilon of the thresholds.
#'
#' @section Kinds of plan:
#' * `all` ([rr_grr()], and yes/no designs of a given epsilon): \eqn{x} if \eqn{U <} `chance`, else uniform below `k`.
#' * `others` ([rr_grr()] whose truth is the least likely report): \eqn{x} if \eqn{U <} `chance`, else \eqn{v} uniform below \eqn{k - 1}, plus 1 if \eqn{v \ge x}{v >= x}.
#' * `rows` (other designs whose reports are categories or bins): `cuts[x]` are the cumulative probabilities of all reports but the last. The report is the number
#'   of cuts with \eqn{U \ge} cut, with one \eqn{U} for all.
#' * `bits` ([rr_unary()]): for \eqn{v = 0, \dots, k - 1}{v = 0, ..., k - 1} bit \eqn{v} is 1 if \eqn{U_v <} `own` (for \eqn{v = x}) or \eqn{U_v <} `other` (else).
#'   The report is hexadecimal text. Bit \eqn{v} is bit \eqn{v \bmod 8}{v mod 8}, from the lowest, of byte \eqn{\lfloor v / 8 \rfloor}{floor(v / 8)}. Each
#'   byte has two lower-case digits, and unused bits are 0.
#' * `subset` ([rr_subset()]): if \eqn{U <} `chance`, \eqn{x} and a set of `size` \eqn{- 1} of the others, else a set of `size` of all. The report is the numbers
#'   plus 1, increasing.
#' * `hash` ([rr_local_hash()]): the slope is 1 plus uniform below `prime` \eqn{- 1}, the shift uniform below `prime`. If the plan has `slopes`, a uniform
#'   cohort \eqn{c} has `slopes[c]` and `shifts[c]`. The value is 1 plus the hash of \eqn{x} (see *Local hashing*) if \eqn{U <} `chance`, else 1 plus uniform
#'   below `g`. The report is `{slope, shift, value}`, or `{cohort, value}` with cohorts from 1.
#' * `hadamard` ([rr_hadamard()]), `sign` (its form with one bit): see *Hadamard response*.
#' * `flipped` ([rr_bitflip()]): the answer lies in bucket \eqn{\lfloor x k / n \rfloor}{floor(x k / n)}, with \eqn{n} the number of `levels`. Draw a set of `size`
#'   buckets. For each, in increasing order, the bit is 1 if \eqn{U <} `own` (the answer's bucket) or `other`. The report lists the buckets plus 1, negative if
#'   the bit is 0.
#' * `bloom` ([rr_bloom()]): a uniform cohort \eqn{c} below `cohorts`; bit \eqn{v} below `k` is 1 if \eqn{U_v <} `own` (if \eqn{v} is in `places[c][x]`) or `other`.
#'   The report is `{cohort, bits}` with cohorts from 1 and bits as text.
#' * `number` ([rr_mean()]): with \eqn{U <} `coarse_share` the grid `coarse`, else `fine`. The place of the number \eqn{x} is \eqn{s = steps (x - low) / (high - low)}; it is \eqn{\lfloor s \rfloor}{floor(s)},
#'   plus 1 if \eqn{U 2^{-64} < s - \lfloor s \rfloor}{U 2^-64 < s - floor(s)}, at most `steps`. Then \eqn{U} is compared with `other`, and the cell is the place plus uniform below `window`; but if \eqn{U <} `other`
#'   the cell is another draw, uniform below `steps` + `window`. The report is `start` + `step` times the cell.
#' * `cards` ([rr_scramble()]): a card \eqn{w} of `multiply` and \eqn{u} of `add`, each the entry of `values` whose place is the number of `cuts` with \eqn{U \ge} cut. If \eqn{U <} `lie` the report is
#'   \eqn{w x + u}, or with `inside` \eqn{w (x + u)}, else \eqn{x}, rounded to `digits`. A number with more than `decimals` decimals, the most of
#'   `low`, `high` and the cards of `add`, is refused: the cards would not hide them.
#' * `memoised` ([rr_longitudinal()], [rr_bloom()] with `permanent`): the plan `first` draws a permanent answer, which the device keeps, and the plan `second` draws
#'   the report from it.
#'
#' For `memoised`, permanent answers are kept for each \eqn{x} (under the name `"x"`). **A client draws those of all \eqn{x} at the first visit**, in their order and before an answer is used: a
#' name that is there alone is the truth. (With given words, as in the test vectors, only that of the answer is drawn.) Categories go through `second` as
#' answers do. Bits go through a plan of the kind `again`: bit \eqn{v} is 1 if \eqn{U_v <} `own` (if the kept bit is 1) or `other`. For `bloom` the cohort
#' is also kept (`"cohort"`). For `hash` slope and shift are kept (`"function"`), and permanent answers are kept for each hash value (from 0, under `"0"`, `"1"`, ...)
#' and drawn as above, without the 1. The report of `second`, plus 1, is the `value`.
#'
#' A permanent answer never leaves the device. For every other plan a device makes one report for each question. It keeps the report with a random identifier, before it is shown or sent. The name of what is kept holds a
#' print of the plan without its labels (`levels`, `reports`, `mechanism`): one law in two languages is one place. Permanent answers are kept alone, without a report beside them.
#'
#' **Time.** A client with a generator of its own also draws what it does not need: the uniform number or set of a lie beside that of a truth. The time then does not tell them apart.
#' The clients in JavaScript and Python do so in every kind.
#'
#' **As text** a report of several numbers has them in the order above, separated by spaces; [rr_tally()] reads it.
#'
#' @section What no client can promise:
#' * A client on another device, in another browser or in a private window draws again. So does a browser that has deleted what it kept, and a page in a frame of another site. The page warns
#'   in a frame, and if nothing can be kept.
#' * One law in two languages is one draw. The Bloom filters of [rr_bloom()] follow from the labels, so that other labels are another law.
#' * A report that is kept has the labels of the language in which it was drawn.
#' * Whoever uses the device before the report has arrived can see the report. An `interviewer` page begins anew for each person, so that one person can answer twice.
#' * A survey tool or the page around a client can read what is pressed, and can measure how long an answer takes (jsPsych's `time_elapsed`).
#' * A generator whose words repeat after more than 128 words, or that its owner can predict, is not noticed.
#' * An entry that was damaged, but has the right form, is taken for what was kept.
#'
#' @section Hadamard response:
#' The matrix is Sylvester's: the entry in row \eqn{r} and column \eqn{c} (from 0) is +1 if \eqn{r} and \eqn{c} have an even number of binary ones in common, else -1.
#'
#' With `blocks` \eqn{B} blocks of `size` \eqn{s} columns, the category \eqn{x} has row \eqn{\lfloor x / B \rfloor + 1}{floor(x / B) + 1} of block
#' \eqn{x \bmod B}{x mod B}. **Row 0, which is +1 throughout, is not used.** The size is the next power of two above the number of categories of the largest block,
#' \eqn{\lceil k / B \rceil}{ceiling(k / B)}.
#'
#' 1. Take \eqn{U < chance} first and then \eqn{a}, uniform below \eqn{B s}. If not \eqn{U < chance}, the report is \eqn{a}.
#' 2. Otherwise let \eqn{c = a \bmod s}{c = a mod s}. If the entry of the row in column \eqn{c} is -1, flip in \eqn{c} the lowest bit that is 1 in the row.
#' 3. The report is \eqn{(x \bmod B) s + c}{(x mod B) s + c}, from 0.
#'
#' The form with one bit (`sign`) has one block, and the category \eqn{x} has row \eqn{x}: **row 0 is the first category's.** The size is the least power of two that is at
#' least \eqn{k}. The index is uniform below `size`; the sign is the entry of row and index, flipped if \eqn{U <} `flip`.
#'
#' @section Hierarchies and prefixes:
#' These have no plan.
#'
#' * [rr_hierarchy()]: a uniform `depth` \eqn{l} from 1 to the height \eqn{h}, and a report of `mechanism$parts[[l]]` about the node of the answer,
#'   \eqn{\lfloor x / f^{h - l} \rfloor}{floor(x / f^(h - l))} from 0, with the fanout \eqn{f}.
#' * [rr_prefixes()]: a uniform `part`, and a report of [rr_count_mean_sketch()] with its key about the first letters of the text.
#'
#' @section Public numbers:
#' A plan holds everything that follows from a design alone: codes, hash functions, places of Bloom filters, buckets of sketches. The rest of this page defines how it is
#' computed.
#'
#' A *key* is up to eight whole numbers below \eqn{2^{32}}; missing numbers are 0. Its stream is ChaCha20 with 20 rounds, the block function of RFC 8439. The
#' state is the constants, the eight words of the key, a block counter of 64 bits from 0 (low word first) and two words of 0. The 16 words of 32 bits of each block follow
#' one another.
#'
#' A number below \eqn{m} is drawn from the next word \eqn{w}. If \eqn{w m \bmod 2^{32}}{w m mod 2^32} is below \eqn{2^{32} \bmod m}{2^32 mod m}, \eqn{w} is skipped
#' and the next word taken. The number is \eqn{\lfloor w m / 2^{32} \rfloor}{floor(w m / 2^32)}. In the rest of this page, "numbers below \eqn{m} of (a, b, ...)" are successive numbers of
#' the stream with this key.
#'
#' @section Local hashing:
#' For [rr_local_hash()] with \eqn{K} categories and \eqn{g} values, \eqn{P} is the smallest prime that is at least \eqn{\max(K, 64 g)}{max(K, 64 g)}, at most
#' \eqn{2^{31} - 1}. The codes are \eqn{K} different numbers below \eqn{P}, with the key \eqn{(0, K, P)}.
#'
#' * If \eqn{P \le \max(4 \cdot 10^6, 4 K)}{P <= max(4e6, 4 K)}: start with the list of 0, 1, ..., \eqn{P - 1}. For \eqn{i} from 0 to \eqn{K - 1} draw a number below \eqn{P - i} and
#'   exchange the entries \eqn{i} and \eqn{i} plus this number. The first \eqn{K} entries are the codes.
#' * Otherwise the codes are the first \eqn{K} different numbers among the numbers below \eqn{P}.
#'
#' The hash of category \eqn{v} under slope \eqn{a} and shift \eqn{b} is \eqn{\lfloor ((a z_v + b) \bmod P) g / P \rfloor}{floor(((a z[v] + b) mod P) g / P)}, from 0. The
#' product \eqn{a z_v}{a z[v]} needs 62 bits; in doubles take \eqn{a} in two halves of 16 bits. With `cohorts` \eqn{M} the slopes are 1 plus the first \eqn{M} numbers
#' below \eqn{P - 1} of \eqn{(1, K, P, M, 1)}, the shifts the first \eqn{M} numbers below \eqn{P} of \eqn{(1, K, P, M, 2)}.
#'
#' @section The print of a text:
#' Two numbers stand for a text under a `key`.
#'
#' 1. Take the text in UTF-8, and pad it with bytes of 0 to a multiple of 16.
#' 2. Add a block of 16 bytes: the number of bytes of the text, as a word of 32 bits with the low byte first, and zeros.
#' 3. Start with \eqn{s = (0, 0)}. For each block, with words \eqn{n_0, \dots, n_3}{n0, ..., n3} (low byte first), \eqn{s} becomes the first two numbers below
#'    \eqn{2^{31} - 1} of \eqn{(3, key, s_0, s_1, n_0, n_1, n_2, n_3)}{(3, key, s0, s1, n0, n1, n2, n3)}. The last \eqn{s} is the print.
#'
#' @section Bloom filters and sketches:
#' In [rr_bloom()] a label with print \eqn{s} sets bits \eqn{j = 1, 2, \dots}{j = 1, 2, ...} in cohort \eqn{c} as follows. Take the \eqn{c}th number \eqn{r} below
#' `bits` \eqn{- j + 1} of \eqn{(4, key, s_0, s_1, j)}{(4, key, s0, s1, j)}. Among the bits that the label has not set yet, the \eqn{j}th bit is the one with \eqn{r} such bits before it.
#'
#' In [rr_count_mean_sketch()] the bucket (from 0) of a text under the \eqn{c}th function is the \eqn{c}th number below `width` of \eqn{(5, key, s_0, s_1)}{(5, key, s0, s1)}. The
#' report is a report of [rr_unary()] about the buckets with `optimized = FALSE`. With `one_bit` it is a uniform `index` from 0 to the next power of two less one, and a
#' `sign`. The sign is 1 if bucket and index have an even number of binary ones in common, else -1, and flipped with probability \eqn{1 / (1 + e^\epsilon)}.
#'
#' @section What no client can promise:
#' * **One report of each person.** A device keeps what it drew. Another browser, a private window or deleted site data draw anew, and two reports reveal more than one.
#' * **Nobody else at the device.** Who watches the screen sees the answer. Other programs and extensions of the browser can read a page.
#' * **An unchanged file.** Whoever serves a page can serve another one to some respondents. [rr_check_client()] compares a file that you have.
#' * **Equal devices.** If half of the devices tell the truth and the others lie more often, the reports together are as they should be. Tests need `id` and several reports of each device.
#' * **A generator that nobody predicts.** Reports of a generator that only its owner can predict look random, and so does a mark that only its owner can read.
#' * **No trace of the time.** The random words of hashes, subsets and lists can be one more for some draws. Survey tools may record when an answer was chosen.
#' * **No trace of the connection.** A server sees the address, the browser and the time of a request.
#' * **A hidden refusal.** "I prefer not to say" is not randomized.
#' * **A hidden answer at infinite epsilon.** Some reports then show an answer, or rule one out. The page says so. It cautions if one of two answers is guessed right from a report in more
#'   than 90, and more strongly in more than 99, of 100 cases.
#'
#' @section Errors:
#' None: this page has no function.
#' @references Nir, Y. and Langley, A. (2018). ChaCha20 and Poly1305 for IETF protocols. RFC 8439. \doi{10.17487/RFC8439}
#'
#'   Lemire, D. (2019). Fast random integer generation in an interval. *ACM Transactions on Modeling and Computer Simulation* 29(1). \doi{10.1145/3230636} (public numbers
#'   below \eqn{m}, with the proof that they are uniform)
#' @name clients
#' @seealso [rr_client()], [rr_check_client()]; [rr_reports()] for how reports are written down.
#' @concept JavaScript
#' @concept Python
#' @concept on-device randomization
#' @examples
#' # Does my client compute the right hash of each category, under slope 5 and
#' # shift 7?
#' mechanism <- rr_local_hash(c("light", "dark", "automatic"), epsilon = 1)
#' line <- (5 * mechanism$codes + 7) %% mechanism$prime
#' 1 + floor(line * mechanism$g / mechanism$prime)
#' # 3, 1, 1
#' # Bits that each label sets, from 1: bits by labels by cohorts
#' rr_bloom(c("light", "dark"), epsilon = 2, bits = 16, cohorts = 2)$places
NULL
