/**
 * Draws a page's plotly figures when its reader comes near them: plotly is heavier than all else on
 * the page. An ordinary script, not a module, so that it works in a book opened from a disk too.
 */
(() => {
  const PLOTLY = new URL("plotly.min.js", document.currentScript.src).href;
  const waiting = new Set(document.querySelectorAll(".chart"));
  let loading = null;

  /** Loads plotly, once. */
  const load = () => {
    loading ??= new Promise(loaded => {
      const script = document.createElement("script");
      script.onload = loaded;
      script.src = PLOTLY;
      document.head.append(script);
    });
    return loading;
  };

  /** Draws a figure that waits in place of the sentence that keeps its room. */
  const draw = chart => {
    if (!waiting.delete(chart)) return;
    const figure = JSON.parse(chart.querySelector("script").textContent);
    chart.replaceChildren();
    window.Plotly.newPlot(chart, figure);
  };

  /** Draws everything at once, as paper cannot be scrolled: it waits for plotly, as printing does not. */
  const drawAll = () => {
    if (waiting.size && !window.Plotly) {
      const request = new XMLHttpRequest();
      request.open("GET", PLOTLY, false);
      request.send();
      const script = document.createElement("script");
      script.textContent = request.responseText;
      document.head.append(script);
    }
    waiting.forEach(draw);
  };

  const near = new IntersectionObserver(
    entries => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        load().then(() => draw(target));
      }
    },
    { rootMargin: "100%" },
  );
  waiting.forEach(chart => near.observe(chart));
  window.addEventListener("beforeprint", drawAll);
})();
