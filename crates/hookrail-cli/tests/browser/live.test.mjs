// `hookrail report --live` in a browser: the code, updates, many tabs, and what another page gets.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { AXE, Home, PATIENCE, launch } from './support.mjs';

let browser;
before(async () => { browser = await launch(); }, { timeout: PATIENCE });
after(() => browser?.close());

async function person() {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE);
  return context;
}

const push = { session_id: 'one', tool_name: 'Bash', tool_input: { command: 'git push --force' } };

test('it updates while an agent works, in every tab', { timeout: PATIENCE * 4 }, async () => {
  const home = new Home();
  home.call('claude', 'PreToolUse', push);
  const live = await home.live();
  const context = await person();
  const problems = [];
  context.on('weberror', (error) => problems.push(error.error().message));
  const first = await context.newPage();
  await first.goto(live.address);
  await first.locator('#list > li').waitFor();
  assert.ok(!first.url().includes('#'), 'the code is not left in the address');
  const tabs = [first];
  for (let at = 0; at < 9; at += 1) {
    const tab = await context.newPage();
    await tab.goto(first.url());
    tabs.push(tab);
  }
  // What a person has opened and typed stays.
  await first.bringToFront();
  await first.locator('#list summary').first().click();
  await first.locator('#list summary').first().focus();
  home.call('claude', 'PreToolUse', { ...push, tool_input: { command: 'git push --force second' } });
  for (const tab of tabs) {
    await tab.bringToFront();
    await tab.waitForFunction(() => document.querySelectorAll('#list > li').length === 2);
    assert.match(await tab.locator('#total-block').innerText(), /2\s+blocked/);
  }
  assert.equal(await first.locator('#list details[open]').count(), 1);
  assert.equal(await first.evaluate(() => document.activeElement.tagName), 'SUMMARY');
  assert.match(await first.locator('#live').innerText(), /^Live/);
  // An agent that is connected meanwhile appears.
  home.run(['connect', 'claude']);
  await first.bringToFront();
  await first.locator('#coverage').getByText('Claude Code').waitFor();
  // The cookie is not seen by scripts.
  assert.equal(await first.evaluate(() => document.cookie), '');
  assert.equal(await live.end(), 0);
  await first.locator('#live.off').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
  home.remove();
});

test('a code is for one browser, and its page says so', { timeout: PATIENCE * 2 }, async () => {
  const home = new Home();
  home.call('claude', 'PreToolUse', push);
  const live = await home.live();
  const [one, other] = [await person(), await person()];
  const page = await one.newPage();
  await page.goto(live.address);
  await page.locator('#list > li').waitFor();
  await page.reload();
  await page.locator('#list > li').waitFor();
  const late = await other.newPage();
  await late.goto(live.address);
  await late.getByText('was used already').waitFor();
  await late.goto(live.address.split('#')[0]);
  await late.getByText('hookrail report --live').waitFor();
  assert.equal(await late.locator('#list').count(), 0);
  await late.close();
  const checked = await browser.newContext({ bypassCSP: true });
  const signIn = await checked.newPage();
  await signIn.goto(live.address.split('#')[0]);
  await signIn.evaluate(AXE);
  const found = await signIn.evaluate(() => window.axe.run(document));
  assert.deepEqual(found.violations.map(({ id }) => id), []);
  await live.end();
  await Promise.all([one.close(), other.close(), checked.close()]);
  home.remove();
});

test('another page gets nothing, not even on 127.0.0.1', { timeout: PATIENCE * 2 }, async () => {
  const home = new Home();
  home.call('claude', 'PreToolUse', push);
  const live = await home.live();
  const context = await person();
  const page = await context.newPage();
  await page.goto(live.address);
  await page.locator('#list > li').waitFor();
  const address = page.url();
  const seen = [];
  // The same site, another port: browsers send it the cookies of 127.0.0.1, but not those of a path it does not know.
  const server = http.createServer((request, answer) => {
    seen.push(request.headers.cookie ?? '');
    answer.setHeader('content-type', 'text/html');
    answer.end('<!doctype html><title>other</title><body>');
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const other = await context.newPage();
  await other.goto(`http://127.0.0.1:${server.address().port}/`);
  const got = await other.evaluate(async (place) => {
    const attempts = [
      fetch(`${place}updates?after=0`, { credentials: 'include' }).then((answer) => answer.text()),
      fetch(`${place}updates?after=0`, { credentials: 'include', mode: 'no-cors' }).then((answer) => `${answer.status}`),
      fetch(`${place}session`, { method: 'POST', body: 'x', credentials: 'include' }).then((answer) => answer.text()),
    ];
    const results = await Promise.allSettled(attempts);
    const frame = document.createElement('iframe');
    frame.src = place;
    document.body.append(frame);
    await new Promise((resolve) => { frame.onload = resolve; });
    let framed = 'refused';
    try {
      framed = frame.contentDocument?.body?.textContent ?? 'refused';
    } catch { /* Of another origin. */ }
    return [...results.map((result) => result.value ?? 'refused'), framed];
  }, address);
  assert.ok(got.every((text) => !String(text).includes('force')), JSON.stringify(got));
  assert.equal(got[0], 'refused');
  assert.deepEqual(seen.filter((cookie) => cookie.includes('hookrail')), []);
  server.close();
  await live.end();
  await context.close();
  home.remove();
});
