// Wide tables scroll in a box of their own: the box takes the focus, so that keys can scroll it.
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) box.tabIndex = 0;
}).observe(document.documentElement, { childList: true, subtree: true });
