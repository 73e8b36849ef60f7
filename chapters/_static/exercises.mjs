// An exercise that waits for an answer says where one can be given: in the page's notebook in Colab,
// where the rocket at the top leads too.

const rocket = document.querySelector('a[href^="https://colab.research.google.com/"]');

for (const output of rocket ? document.querySelectorAll(".cell_output pre") : []) {
  if (!/^Exercise \S+ waits for your answer/.test(output.textContent)) continue;
  const link = document.createElement("a");
  link.href = rocket.href;
  link.textContent = "Answer in Colab";
  output.textContent = `${output.textContent.trimEnd()}  `;
  output.append(link);
  output.classList.add("waits");
}
