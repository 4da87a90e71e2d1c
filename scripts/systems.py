"""Systems of experiments in the order of the gallery: heading, and the question of its experiments. For scripts/gallery.py."""

SYSTEMS = {
    "toy gate": (
        "Toy gate",
        "Has attention a reason to move before the class weights differ? Three numbers, solved exactly.",
    ),
    "unigram gate": (
        "Unigram gate",
        "Is this also true of fifty words? One class weight and one attention logit for each word.",
    ),
    "keyword classifier": (
        "Keyword classifier",
        "Does a network find the one word that decides a class, and what is learned first?",
    ),
    "features": ("Features", "Which entries of a vector matter? Attention weights features in place of positions."),
    "bags": ("Bags", "Is attention needed to choose an item of a bag, and is it on the deciding item?"),
    "pooling": ("Pooling", "When is attention a weighted mean of neighbours? Noisy points on a curve."),
    "copying": ("Copying", "Which is learned first, words or positions? Permutations and subsets."),
    "heads": ("Heads", "Why do several heads learn more often than one?"),
    "text": ("Text", "Are the statements on made data true of texts, translations and names?"),
    "prediction": ("Prediction", "Do the data predict which setting is learned later?"),
    "interventions": (
        "Interventions",
        "Does attention wait for words, and does it teach words? One is fixed, and the other is watched.",
    ),
    "audit": ("Audit", "How far are the assumptions of the two-stage account true in real runs?"),
    "linear-attention": (
        "Linear attention",
        "At which losses does regression in context pause, and how many tasks does it need?",
    ),
    "sparse-attention": (
        "Sparse attention",
        "How long does attention to a few positions take, and which way does it find first?",
    ),
    "transformer": ("Transformer", "Which simpler predictions does a transformer pass on its way?"),
    "plateau": ("Plateaus", "At which values does a loss stay constant, and for how long?"),
    "induction": ("Induction heads", "How many steps does a head need until it copies from the context?"),
    "sink": ("Sink", "Why does attention go to a start token, and does a remedy remove this weight?"),
    "product": ("Products", "Which plateaus has a product of factors, the simplest model of a circuit?"),
    "prefetch": ("Prefetching", "Does the prediction of memory addresses need attention?"),
    "disentangled": ("Disentangled transformer", "Does the first layer find the graph that made the data?"),
    "glimpse": ("Glimpses", "Can a network learn by reward where to look?"),
}
