// Posts the code of the address once. It is behind the `#`, so that no request and no referrer has it.
'use strict';
(async () => {
  const code = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  const say = (text) => { document.getElementById('state').textContent = text; };
  if (code === '') {
    say('This report is open in another browser, or was opened before. Run `hookrail report --live` again for a new address.');
    return;
  }
  const answer = await fetch('session', { method: 'POST', body: code }).catch(() => null);
  if (answer?.ok) location.replace(location.pathname);
  else say(answer === null ? 'The report has ended.' : 'This code was used already. Run `hookrail report --live` again for a new address.');
})();
