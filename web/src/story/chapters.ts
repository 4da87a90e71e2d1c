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
    idea: "Two words, and one weight p: the share of attention that the second word, the key, gets. It is the smallest system in which attention learns. What the words mean (D, the difference of their class weights) moves p, and p moves what they mean. One line, the separatrix, decides where a start ends.",
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
    idea: "A recurrent network reads twenty words and decides whether the keyword is among them. In most seeds β ranks that word first before attention does (α); β goes on growing while attention moves. With attention held uniform it becomes just as accurate: a low loss does not say where a model attends.",
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
    idea: "Of many input numbers only two matter. A gate gives each a weight, and the weights add up to 1. It finds the two; and the more irrelevant inputs there are, the more the gate gains over the same network without one.",
    equations: ["g = softmax(a) , ∑_d g_d = 1", "f(x) = MLP(g ⊙ x)"],
    tries: [{ says: "Train it here", view: "play", words: "task=features" }],
  },
  {
    name: "bags",
    system: "bags",
    title: "Bags",
    idea: "Three images of digits, in no order; the label is the largest. Attention over the bag can put its weight on the image that decides; a network that reads all three side by side cannot.",
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
    idea: "Attention without any network: an answer is the mean of the values, each weighted by how near its key is to the query. The width of “near” can be learned. From wide to narrow, the answer goes from the mean of all values to a look-up in a table.",
    equations: ["f(q) = ∑_i α(q, k_i) v_i", "α(q, k_i) ∝ exp(−\\frac{1}{2} {((q − k_i) w)}^2)"],
    tries: [{ says: "Learn the width on points of your own", view: "play", words: "task=points" }],
  },
  {
    name: "copying",
    system: "copying",
    title: "Copying",
    idea: "The easiest translation: the target is the source. If the words differ from sentence to sentence, every seed learns it. If each sentence is a permutation of the same words, the bag of words (which words a sentence holds, in no order) does not say which word goes with which, and many seeds learn to copy late.",
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
    idea: "The same copying model with several heads, whose contexts are averaged. Some heads learn quickly alone and some do not learn at all, though each can express the same. Do several heads help because they can express more, or because of how they learn?",
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
    idea: "In real texts, does a model attend to the words that co-occurrence alone points to? The agreement 𝒜 says how often: the share of examples in which the word with the most attention is among the top 5 % of b, the evidence of words in a model without attention.",
    equations: ["𝒜(a, b) = P(|{i : b_i > b_{argmax a}}| < k) , k = ⌈0.05 L⌉"],
    tries: [{ says: "Classify texts of your own", view: "play", words: "task=own" }],
  },
  {
    name: "transformer",
    system: "transformer",
    title: "From one head to a transformer",
    idea: "Each token attends to those before it, in layers of heads. What can be predicted from nothing, from counts of the context, and from what followed earlier copies of the current token is a ladder of heights, computed before training. The loss rests at one of them, and falls to the next when a head has learned where to attend.",
    equations: ["A_{t s} = softmax_{s ≤ t}(q_t · k_s / √K)", "h_t ← h_t + ∑_{heads} O ∑_{s ≤ t} A_{t s} V h_s"],
    tries: [{ says: "Train it here", view: "play", words: "task=markov" }],
  },
  {
    name: "plateau",
    system: "plateau",
    title: "A plateau with a known height",
    idea: "Numbers, then the sums of neighbours. For most of the training the loss rests at one height: that of a model which knows the first output and nothing else. This height is computed from the data before training. The loss falls only when attention has found the two places that each sum needs.",
    equations: ["y_1 = x_1 , y_i = (x_{i−1} + x_i) mod (n + 1) , x_i ∈ 1 … n"],
    tries: [{ says: "Train it here", view: "play", words: "task=sums" }],
  },
  {
    name: "induction",
    system: "induction",
    title: "Induction",
    idea: "The last token stood in the context once before: what followed it then? The first layer has to pass each token on to the place after it, the second to find the place by it, and the output to say what stands there. Three scalars, one for each of these, extend the toy gate and predict before training which lengths and vocabularies take longer.",
    equations: [
      "α_1 = \\frac{1}{1 + (T − 1) e^{−a}} , α_2 = \\frac{1}{1 + (T − 1) e^{−b α_1}}",
      "ℓ = − w α_2 + log(e^{w α_2} + (T − 1) e^{w (1 − α_2) / (T − 1)} + V − T)",
    ],
    tries: [{ says: "Train it here", view: "play", words: "task=induction" }],
  },
  {
    name: "linear-attention",
    system: "linear-attention",
    title: "Regression in context",
    idea: "Each example shows pairs of a linear map of its own, and asks for one more value. Linear attention learns to estimate the map from the pairs. With one matrix for keys and queries the loss falls in one drop; with separate matrices it descends a staircase. The heights of the steps are computed before training.",
    equations: ["β = \\frac{1}{N} ∑_n y_n x_n", "ŷ = ∑_h v_h (k_h · β) (q_h · x_q)"],
    tries: [],
    elsewhere: { says: "The program trains it:", command: "fovea reproduce linear-icl --quick" },
  },
  {
    name: "sparse-attention",
    system: "sparse-attention",
    title: "Sparse attention",
    idea: "Of T vectors one determines the answer. Its meaning is learned under uniform attention, which shows only a T-th of it; then attention moves to it, and the two grow together. A flow of two numbers, the toy gate at length T, gives the time before training.",
    equations: ["α = \\frac{1}{1 + (T − 1) e^{−Δ}} , ŷ = W ∑_t α_t x_t"],
    tries: [],
    elsewhere: { says: "The program trains it:", command: "fovea reproduce sparse-emergence --quick" },
  },
  {
    name: "sink",
    system: "sink",
    title: "The empty sink",
    idea: "After a trigger the token before it comes back; everywhere else the next token depends on the current one alone, so attention has nothing to find. The weights of a softmax add up to 1 all the same, and much of the weight goes to the first place. With relu, whose weights may all be 0, it does not.",
    equations: ["softmax : ∑_{j ≤ i} A_{i j} = 1", "relu : A_{i j} = max(s_{i j}, 0) / i"],
    tries: [],
    elsewhere: { says: "The program trains both in seconds:", command: "fovea reproduce sink --quick" },
  },
  {
    name: "prefetch",
    system: "prefetch",
    title: "Prefetching",
    idea: "Which line of memory is accessed next? An address is a page and an offset in it, and what an offset means depends on its page. So each offset has several vectors, experts, and attention mixes them by the page (Shi and others, 2021). It was expected that this is needed where each page has an order of its own. It is not: knowledge of the pages comes first, attention over the experts moves late and little, and the network learns as much without it. The rivals are the tables of a processor: each has traces that it knows at once, and traces that it cannot know.",
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
    idea: "A network sees an image only through a few small glimpses g, and says after each where to look next: in the middle μ, and in training somewhere around it. No gradient leads through a place that is drawn. Places that ended in a right answer, reward r, become likelier, by as much as r was more than what was expected, v (Mnih and others, 2014). Untrained, they hardly leave the middle. The rival is the same network with its glimpses anywhere.",
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
    idea: "What attention will do is predicted from the data alone, before anything is trained, and the prediction is scored.",
    equations: ["C_{io} = Cov(count_i in, count_o out)"],
    tries: [{ says: "Predict and train on texts of your own", view: "play", words: "task=own" }],
  },
  {
    name: "interventions",
    system: "interventions",
    title: "Interventions",
    idea: "An explanation is tested by breaking it. With everything but attention frozen, attention does not find its position; after steps of uniform attention it comes sooner. On permutations such steps help as well, though they teach no words: so whether attention waits for words is not settled.",
    equations: ["α_{t s} = 1/S , step < 60", "α_{t s} = softmax_s((A d_t + a) · e_s) , step ≥ 60"],
    tries: [{ says: "Hold attention uniform for 60 steps, then let go", view: "play", words: "task=subset&hold=60" }],
  },
];
