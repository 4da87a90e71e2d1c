// The tour's chapters, in its order: what a system is about, in two sentences and its equation, and where on this page it
// can be tried. Their experiments, figures and verdicts come from the page's source.
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
    idea:
      "Two words, and one weight p that says how much of the second is heard: attention with everything else taken away. What the words have come to mean (D) moves the gate and the gate moves what they mean, so where it ends is decided by which side of one line it starts on.",
    equations: ["D = β_1 − β_0", "\\frac{d D}{d τ} = 2 p , \\frac{d p}{d τ} = D", "L = −p D"],
    tries: [
      { says: "Start with no word known", view: "toy", words: "" },
      { says: "Start from a mistake", view: "toy", words: "D=-20" },
      { says: "Start with a low loss", view: "toy", words: "D=8" },
      { says: "Let a bounded gate come back from a mistake", view: "toy", words: "bounded=yes&D=-2" },
      { says: "Solve it with attention on the wrong word", view: "toy", words: "logistic=yes&D=-4" },
    ],
  },
  {
    name: "unigram-gate",
    system: "unigram gate",
    title: "The unigram gate",
    idea:
      "The same for any vocabulary: each word v has a class weight β and an attention logit a, both free. Words that tell the classes apart gain weight first, and only what they have gained gives their logits a reason to rise.",
    equations: ["s(x) = ∑_l softmax(a_{x_1} … a_{x_L})_l · β_{x_l}", "L = log(1 + e^{−y s(x)})"],
    tries: [{ says: "Train it here", view: "play", words: "task=keyword&model=unigram-gate" }],
  },
  {
    name: "keyword",
    system: "keyword classifier",
    title: "A keyword classifier",
    idea:
      "A recurrent network reads twenty words and says whether one certain word was among them. With attention held uniform it becomes just as accurate: a low loss does not say where a model attends.",
    equations: ["p = softmax(α^⊤ h_1 … α^⊤ h_L)", "P(positive) = σ(∑_l p_l β_l) , β_l = W h_l"],
    tries: [
      { says: "Train it here", view: "play", words: "task=keyword" },
      { says: "Train it with attention held uniform for 100 steps", view: "play", words: "task=keyword&hold=100" },
    ],
  },
  {
    name: "features",
    system: "features",
    title: "Features",
    idea:
      "Of many numbers only two matter, and a gate gives every one a weight, all of them adding up to 1. It finds the two, and the more useless numbers there are beside them, the more it gains over the same network without a gate.",
    equations: ["g = softmax(a) , ∑_d g_d = 1", "f(x) = MLP(g ⊙ x)"],
    tries: [{ says: "Train it here", view: "play", words: "task=features" }],
  },
  {
    name: "bags",
    system: "bags",
    title: "Bags",
    idea:
      "Three pictures of digits, in no order; the label is the largest. Attention over the bag can put its weight on the picture that decides, which a network that reads all three side by side cannot.",
    equations: ["α = softmax(score(h_1, h̄) … score(h_T, h̄))", "ŷ = head(∑_t α_t h_t) , h_t = F(x_t)"],
    tries: [],
    elsewhere: { says: "The page's engine has no pictures. The program draws them, and trains on them:", command: "fovea reproduce digits-simple --quick" },
  },
  {
    name: "pooling",
    system: "pooling",
    title: "Attention pooling",
    idea:
      "Attention without any network: an answer is the mean of the values, each weighted by how near its key is to the query. How near is near can be learned, and from wide to narrow it goes from the mean of all to a look-up in a database.",
    equations: ["f(q) = ∑_i α(q, k_i) v_i", "α(q, k_i) ∝ exp(−\\frac{1}{2} {((q − k_i) w)}^2)"],
    tries: [{ says: "Learn the width on points of your own", view: "play", words: "task=points" }],
  },
  {
    name: "copying",
    system: "copying",
    title: "Copying",
    idea:
      "The easiest translation there is: say the words again, in their order. Where the words drawn differ from sentence to sentence every seed learns it, and with permutations of the same words, where a bag of words tells nothing, it is learned late or not at all.",
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
    idea:
      "The same copying model with several heads, whose contexts are averaged. Some heads learn quickly alone and some do not at all, though each could say the same: is it what they can express that helps, or how they learn?",
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
    idea:
      "In texts, are the words that a model comes to attend to those that co-occurrence alone speaks for? Agreement says how often: the share of examples in which the word most attended to is among the few that b, which knows no attention, holds for the best.",
    equations: ["𝒜(a, b) = P(|{i : b_i > b_{argmax a}}| < k) , k = ⌈0.05 L⌉"],
    tries: [{ says: "Classify texts of your own", view: "play", words: "task=own" }],
  },
  {
    name: "transformer",
    system: "transformer",
    title: "From one head to a transformer",
    idea:
      "Tokens that attend to those before them, in layers of heads. What can be known without attention, from the current token, and from what followed its earlier copies is a ladder whose rungs are computed before training; a loss rests on one, and falls to the next when a head has learned where to look.",
    equations: ["A_{t s} = softmax_{s ≤ t}(q_t · k_s / √K)", "h_t ← h_t + ∑_{heads} O ∑_{s ≤ t} A_{t s} V h_s"],
    tries: [],
    elsewhere: { says: "The program trains it in seconds:", command: "fovea reproduce markov-icl --quick" },
  },
  {
    name: "prediction",
    system: "prediction",
    title: "Prediction",
    idea:
      "If knowledge of words comes first, what attention will do can be read from the data. It is told before anything is trained, and then scored.",
    equations: ["C_{io} = Cov(count_i in, count_o out)"],
    tries: [{ says: "Predict and train on texts of your own", view: "play", words: "task=own" }],
  },
  {
    name: "interventions",
    system: "interventions",
    title: "Interventions",
    idea:
      "A story is tested by breaking it. Take the knowledge of words away and attention finds nothing; give it first and attention follows at once.",
    equations: ["α_{t s} = 1/S , step < 60", "α_{t s} = softmax_s((A d_t + a) · e_s) , step ≥ 60"],
    tries: [{ says: "Hold attention uniform for 60 steps, then let go", view: "play", words: "task=subset&hold=60" }],
  },
];
