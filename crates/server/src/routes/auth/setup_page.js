const form = document.getElementById("form");
const told = document.getElementById("told");
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
if (!token) {
  told.textContent = "The token is missing. Open the link exactly as the server printed it.";
  form.querySelector("button").disabled = true;
}
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  told.textContent = "";
  try {
    const answer = await fetch("/auth/setup", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, email: form.email.value, password: form.password.value }),
    });
    if (answer.ok) {
      form.hidden = true;
      document.getElementById("lead").textContent =
        "The account was created and you are logged in. You can close this page; docs/service.md shows what comes next.";
      return;
    }
    const { error } = await answer.json();
    told.textContent = error.message;
  } catch {
    told.textContent = "The server did not answer. Try again.";
  }
  button.disabled = false;
});
