// The tour's chapters, in its order: what a system is about, in a few sentences and its equations, and where on this
// page it can be tried. Their experiments, figures and verdicts come from the page's source.
export interface Try {
  says: string;
  view: string; // of this page
  words: string; // of its address
}

export interface Chapter {
  name: string; // in the address
  system: string; // as its experiments name it
  title: string;
  idea: string;
  equations: string[];
  tries: Try[];
  elsewhere?: { says: string; command: string }; // why it cannot be tried on the page, and how it can
}

export const chapters: Chapter[] = [
  {
    name: "toy-gate",
    system: "toy gate",
    title: "The toy gate",
    idea: "Two words, and one weight p on the second word, the key. This p has no bounds, so it can pass 1. This is the smallest system in which attention learns. D is the difference of the two class weights. D moves p, and p moves D. One line, the separatrix, decides how a start ends.",
    equations: ["D = β_1 − β_0", "\\frac{d D}{d τ} = 2 p , \\frac{d p}{d τ} = D", "L = −p D"],
    tries: [
      { says: "Start with no word known", view: "toy", words: "" },
      { says: "Start from a mistake", view: "toy", words: "D=-20" },
      { says: "Start with a low loss", view: "toy", words: "D=8" },
      { says: "Let a bounded gate come back from a mistake", view: "toy", words: "bounded=yes&D=-2" },
      { says: "Lower the loss with attention on the wrong word", view: "toy", words: "logistic=yes&D=-4" },
    ],
  },
  {
    name: "unigram-gate",
    system: "unigram gate",
    title: "The unigram gate",
    idea: "The same for any vocabulary: each word v has a class weight β and an attention logit a, both free parameters. If all class weights are equal, no logit has a gradient. Words that distinguish the classes gain class weight first, and then their logits rise.",
    equations: ["s(x) = ∑_l softmax(a_{x_1} … a_{x_L})_l · β_{x_l}", "L = log(1 + e^{−y s(x)})"],
    tries: [{ says: "Train it here", view: "play", words: "task=keyword&model=unigram-gate" }],
  },
  {
    name: "keyword",
    system: "keyword classifier",
    title: "A keyword classifier",
    idea: "A recurrent network reads twenty words and decides whether the keyword is among them. In most seeds β ranks the keyword first before attention (α) does. β still grows while attention moves. With attention held uniform the accuracy is 0.999 or more. A low loss does not show which word a model attends to.",
    equations: ["α = softmax(q^⊤ h_1 … q^⊤ h_L)", "P(positive) = σ(∑_l α_l β_l) , β_l = W h_l"],
    tries: [
      { says: "Train it here", view: "play", words: "task=keyword" },
      { says: "Train it with attention held uniform for 100 steps", view: "play", words: "task=keyword&hold=100" },
    ],
  },
  {
    name: "features",
    system: "features",
    title: "Features",
    idea: "Only two of many input numbers matter. A gate gives each number a weight, and the weights add up to 1. The gate finds the two numbers. In the full form, with 10 000 inputs and five seeds, the network is at least 0.339 more accurate with the gate than without it.",
    equations: ["g = softmax(a) , ∑_d g_d = 1", "f(x) = MLP(g ⊙ x)"],
    tries: [{ says: "Train it here", view: "play", words: "task=features" }],
  },
  {
    name: "bags",
    system: "bags",
    title: "Bags",
    idea: "A bag has three images of digits, in no order. The label is the largest digit. Attention over the bag gives each image a weight. Uniform attention is as accurate. A network that reads all three images side by side is less accurate. In the full form, the largest digit has the largest weight in 93 % or more of the correct bags with three scores. With the dot score, the share is 61 % in the worst seed.",
    equations: ["α = softmax(score(h_1, h̄) … score(h_T, h̄))", "ŷ = head(∑_t α_t h_t) , h_t = F(x_t)"],
    tries: [],
    elsewhere: {
      says: "The engine in this page has no images. The program draws them and trains on them:",
      command: "fovea reproduce digits-simple --quick",
    },
  },
  {
    name: "pooling",
    system: "pooling",
    title: "Attention pooling",
    idea: "Attention without a network: an answer is the mean of the values, weighted by how near each key is to the query. The width of “near” can be learned. With a wide kernel the answer is the mean of all values. With a narrow one it is a look-up in a table.",
    equations: ["f(q) = ∑_i α(q, k_i) v_i", "α(q, k_i) ∝ exp(−\\frac{1}{2} {((q − k_i) w)}^2)"],
    tries: [{ says: "Learn the width on your points", view: "play", words: "task=points" }],
  },
  {
    name: "copying",
    system: "copying",
    title: "Copying",
    idea: "The easiest translation: the target is the source. If the words differ from sentence to sentence, every seed learns it. If each sentence is a permutation of the same words, all sentences have the same word counts. The counts then do not show which word goes with which. In models of the quick size 3 of 20 seeds are late with biases and 7 without; the intervals overlap. In the full form without biases, 11 are.",
    equations: ["α_t = softmax_s((A d_t + a) · e_s)", "c_t = P ∑_s α_{t s} e_s + b", "o_t = tanh(U [d_t ; c_t])"],
    tries: [
      { says: "Train the easy one here", view: "play", words: "task=subset" },
      { says: "Train the hard one here", view: "play", words: "task=permutation" },
    ],
  },
  {
    name: "heads",
    system: "heads",
    title: "Several heads",
    idea: "The same copying model with several heads. Their contexts are averaged. Alone, some heads learn quickly and some do not learn within 200 steps, although each can express the same. Within 200 steps, on one seed's data, none of 50 groups of such bad heads learns to copy. Do several heads help because they can express more, or because of how they learn?",
    equations: ["c_t = \\frac{1}{H} ∑_h P_h ∑_s α^h_{t s} e_s", "α^h_t = softmax_s((A_h d_t + a_h) · e_s)"],
    tries: [
      { says: "Train four heads together here", view: "play", words: "task=permutation&model=heads" },
      { says: "Beside one of them alone", view: "play", words: "task=permutation&model=heads&beside=model.heads=[0]" },
    ],
  },
  {
    name: "text",
    system: "text",
    title: "Text",
    idea: "In real texts, does a model attend to the words that co-occurrence alone points to? The agreement 𝒜 is the share of examples in which the word with the most attention is among the top 5 % of b. Here b is the evidence of the words in a model without attention.",
    equations: ["𝒜(a, b) = P(|{i : b_i > b_{argmax a}}| < k) , k = ⌈0.05 L⌉"],
    tries: [{ says: "Classify your texts", view: "play", words: "task=own" }],
  },
  {
    name: "transformer",
    system: "transformer",
    title: "From one head to a transformer",
    idea: "Each token attends to the tokens before it, in layers of heads. Three predictors form a ladder: nothing, counts of the context, and the tokens that followed earlier copies of the current token. Their losses are computed before training. In each of ten runs, the nearest predictor changes from nothing to counts to followers. No claim says that the loss stays at a plateau.",
    equations: ["A_{t s} = softmax_{s ≤ t}(q_t · k_s / √K)", "h_t ← h_t + ∑_{heads} O ∑_{s ≤ t} A_{t s} V h_s"],
    tries: [
      { says: "Train it here", view: "play", words: "task=markov" },
      {
        says: "Compare two chains with equal statistics",
        view: "play",
        words: "task=chain&beside=task.to_one=0.2;task.to_zero=0.2",
      },
    ],
  },
  {
    name: "plateau",
    system: "plateau",
    title: "A predicted loss plateau",
    idea: "Numbers, then the sums of neighbours. One rung is the loss of a model that predicts the first output alone. It is computed from the data before training. Halfway to the drop, the loss of each of four full seeds is within 0.03 nats of this rung. A fifth seed ends its run near the rung, without a drop. In the four, attention on the two needed positions doubles before the loss falls.",
    equations: ["y_1 = x_1 , y_i = (x_{i−1} + x_i) mod (n + 1) , x_i ∈ 1 … n"],
    tries: [
      { says: "Train it here", view: "play", words: "task=sums" },
      { says: "Train three heads on three spans", view: "play", words: "task=spans" },
    ],
  },
  {
    name: "induction",
    system: "induction",
    title: "Induction",
    idea: "The last token occurred in the context once before. Which token followed it then? In one solution, the first layer passes each token to the next position. The second layer finds this position by the token. The output names the token there. Three scalars, one for each part, extend the toy gate. With a memory for each token, their flow orders the settings before training (rank correlation 0.976). Length squared times vocabulary does so, too (0.963).",
    equations: [
      "α_1 = \\frac{1}{1 + (T − 1) e^{−a}} , α_2 = \\frac{1}{1 + (T − 1) e^{−b α_1}}",
      "ℓ = − w α_2 + log(e^{w α_2} + (T − 1) e^{w (1 − α_2) / (T − 1)} + V − T)",
    ],
    tries: [
      { says: "Train it here", view: "play", words: "task=induction" },
      {
        says: "Train a head to its predicted step",
        view: "play",
        words: "task=induction-exact&beside=task.length=9",
      },
    ],
  },
  {
    name: "linear-attention",
    system: "linear-attention",
    title: "Regression in context",
    idea: "Each example shows pairs of its own linear map, and asks for one more value. Linear attention learns to estimate the map from the pairs. With one matrix and equal eigenvalues, one drop was predicted and timed. With separate matrices and unequal eigenvalues, three predicted plateaus were found. Both predictions are computed before training.",
    equations: ["β = \\frac{1}{N} ∑_n y_n x_n", "ŷ = ∑_h v_h (k_h · β) (q_h · x_q)"],
    tries: [],
    elsewhere: { says: "The program trains it:", command: "fovea reproduce linear-icl --quick" },
  },
  {
    name: "sparse-attention",
    system: "sparse-attention",
    title: "Sparse attention",
    idea: "One of T vectors determines the answer. Its meaning begins to be learned under uniform attention, which gives it 1/T of the weight. Attention then moves to it, and both grow together. A flow of two numbers, the toy gate at length T, predicts the time before training.",
    equations: ["α = \\frac{1}{1 + (T − 1) e^{−Δ}} , ŷ = W ∑_t α_t x_t"],
    tries: [],
    elsewhere: { says: "The program trains it:", command: "fovea reproduce sparse-emergence --quick" },
  },
  {
    name: "sink",
    system: "sink",
    title: "The sink",
    idea: "After a trigger, the token before it is repeated. Everywhere else the next token depends on the current one alone, so attention has nothing to find. The weights of a softmax add up to 1 all the same. A part of the weight goes to the start token of the text. With relu all weights may be 0, and little weight goes there.",
    equations: ["softmax : ∑_{j ≤ i} A_{i j} = 1", "relu : A_{i j} = max(s_{i j}, 0) / i"],
    tries: [],
    elsewhere: { says: "The program trains both in seconds:", command: "fovea reproduce sink --quick" },
  },
  {
    name: "prefetch",
    system: "prefetch",
    title: "Prefetching",
    idea: "Which line of memory is accessed next? An address is a page and an offset in it, and the meaning of an offset depends on its page. So each offset has several vectors, called experts, and attention mixes them by the page (Shi and others, 2021). Such attention was expected to be necessary if each page has an order of its own. It is not: attention over the experts moves late and little, and the network learns as much without it. The rivals are the tables of a processor. Each table predicts some traces at once, and cannot predict others.",
    equations: [
      "α_k = softmax_k(f p · W_{o k}) , v = ∑_k α_k W_{o k}",
      "page = softmax(A h_T + a) , h = LSTM_{page}([u ; p ; v])",
      "offset = softmax(D e_T + d) , e = LSTM_{offset}([u ; p ; v])",
    ],
    tries: [],
    elsewhere: {
      says: "The engine in this page has no traces of memory. The program makes them, and trains on them in seconds:",
      command: "fovea reproduce prefetch-pages --quick",
    },
  },
  {
    name: "glimpse",
    system: "glimpse",
    title: "Glimpses",
    idea: "A network sees an image only through a few small glimpses g. After each glimpse it chooses the middle μ of the next one; in training the next glimpse is drawn around μ. No gradient passes through a drawn position. A position becomes likelier if the reward r exceeds the expected reward v (Mnih and others, 2014). The rival is the same network with random glimpses.",
    equations: [
      "h_t = relu(F g_t + R h_{t−1} + f) , μ_{t+1} = tanh(κ (M h_t + m))",
      "u_{t+1} ~ N(μ_{t+1}, σ^2)",
      "d μ_{t+1} = −\\frac{λ}{B} (r − v_t) \\frac{u_{t+1} − μ_{t+1}}{σ^2}",
    ],
    tries: [],
    elsewhere: {
      says: "The engine in this page has no images. The program draws them, and trains on them in seconds:",
      command: "fovea reproduce glimpse-plain --quick",
    },
  },
  {
    name: "prediction",
    system: "prediction",
    title: "Prediction",
    idea: "The order in which settings are learned is predicted from the data alone, before training, and is compared with training.",
    equations: ["C_{io} = Cov(count_i in, count_o out)"],
    tries: [{ says: "Predict and train on your texts", view: "play", words: "task=own" }],
  },
  {
    name: "interventions",
    system: "interventions",
    title: "Interventions",
    idea: "An explanation is tested by breaking it. In the quick form, everything but attention is frozen, with words known or not. None of five seeds reaches a diagonal in 1 500 steps. After 40 uniform steps on subsets, attention needs 0.65 times as many further steps as from scratch (medians, full form, without biases). Counted from the start, attention is later. On permutations such steps help as well, although they teach hardly any words: β is right at most 2.2 times as often as by chance. So it is not settled whether attention waits for words.",
    equations: ["α_{t s} = 1/S , step < 60", "α_{t s} = softmax_s((A d_t + a) · e_s) , step ≥ 60"],
    tries: [
      { says: "Hold attention uniform for 60 steps, then release it", view: "play", words: "task=subset&hold=60" },
    ],
  },
];
