// The page that `hookrail report` writes: hostile text, 20,000 decisions, widths, colour schemes, keyboard, axe.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { AXE, Home, PATIENCE, decision, launch } from './support.mjs';

const DECISIONS = ['block', 'ask', 'stop', 'changed', 'failed', 'allow'];
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
let browser;
before(async () => { browser = await launch(); }, { timeout: PATIENCE });
after(() => browser?.close());

/** Opens a file, and fails the test on errors, on anything that the content policy stops, and on any request. */
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
  page.on('request', (request) => { if (!request.url().startsWith('file:')) problems.push(request.url()); });
  page.on('dialog', (dialog) => { problems.push(dialog.message()); dialog.dismiss(); });
  await page.goto(`file://${file}`);
  return { page, problems, close: () => context.close() };
}

/** A log with some of everything. */
function sample(home, count = 60) {
  const lines = Array.from({ length: count }, (_, at) => decision({
    timestamp: new Date(Date.now() - at * 600_000).toISOString(),
    sessionId: `session-${at % 7}`, agent: ['claude', 'codex', 'gemini'][at % 3], project: `/work/project-${at % 4}`,
    summary: `git push --force origin branch-${at}`, decision: DECISIONS[at % 6], blockCause: at % 6 === 0 ? 'policy' : undefined,
    hook: at % 6 === 5 ? undefined : 'no-force-push', source: '/home/ana/.hookrail/settings.json:7', reason: at % 6 === 5 ? undefined : 'Not like this.\nLike that.',
    changes: at % 6 === 3 ? { command: { old: 'a\nb\nc', new: 'a\nB\nc' } } : undefined, durationMs: at,
  }));
  home.write([...lines, ...[3, 40, 5].map((durationMs) => ({ ...decision(), type: 'hook_call', name: 'format', command: './format.sh', durationMs }))]);
}

test('text of the log is text, in every field', { timeout: PATIENCE * 4 }, async () => {
  const home = new Home();
  const hostile = ['</script><script>window.bad = 1</script>', '<img src=x onerror="window.bad = 1">', '"\'`${window.bad = 1}', 'javascript:window.bad=1', '<!--', ']]>', '\u2028\u2029window.bad=1', '\u202egnp.exe', '\u0000\u001b[31m', '__proto__', 'a'.repeat(5000), '{{constructor}}', '<svg/onload=window.bad=1>', '🙂\ud800'];
  const fields = ['sessionId', 'callId', 'event', 'agent', 'project', 'tool', 'summary', 'decision', 'blockCause', 'hook', 'source', 'reason'];
  const lines = hostile.flatMap((text) => [
    decision(Object.fromEntries(fields.map((name) => [name, text]))),
    decision({ decision: 'changed', hook: text, changes: { [text]: { old: text, new: { [text]: [text] } } } }),
    { ...decision(), type: 'hook_call', name: text, command: text, durationMs: 5 },
  ]);
  home.write([...lines, decision({ decision: 7, summary: ['x'], hook: { a: 1 }, durationMs: 'x', timestamp: new Date().toISOString(), changes: 'no' }), decision({ changes: { a: null } })]);
  const { page, problems, close } = await open(home.report());
  for (const button of ['#more', '#more-sessions']) if (await page.locator(button).isVisible()) await page.locator(button).click();
  for (const summary of await page.locator('#list summary').all()) await summary.click();
  for (const summary of await page.locator('main details:not([open]) > summary').all()) await summary.click();
  assert.equal(await page.evaluate(() => window.bad), undefined);
  assert.deepEqual(problems, []);
  assert.equal(await page.locator('main img, main script, main a[href^="javascript"]').count(), 0);
  // What is not seen is written out, and what is long stays in its place.
  assert.ok((await page.locator('#list').textContent()).includes('\\u{202e}gnp.exe'));
  assert.ok(!/[\u202e\u2028\u001b]/.test(await page.locator('main').evaluate((main) => main.textContent)));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  // No text of the log is in a command.
  for (const command of await page.locator('.steps code').allTextContents()) {
    assert.match(command, /^hookrail (fire --from-log [0-9a-f]{16} --save-test call-[0-9a-f]{8}|rules except [0-9a-f]{16}|allow|rules [a-z-]+|log --session [A-Za-z0-9_-]+)$/);
  }
  await close();
  home.remove();
});

test('20,000 decisions are filtered', { timeout: PATIENCE * 4 }, async () => {
  const home = new Home();
  const now = Date.now();
  home.write(Array.from({ length: 20_500 }, (_, at) => decision({
    timestamp: new Date(now - (20_500 - at) * 20_000).toISOString(), sessionId: `s${at % 200}`, agent: at % 2 ? 'claude' : 'codex', project: `/work/p${at % 30}`,
    summary: `run number-${at} of ${'x'.repeat(60)}`, decision: DECISIONS[at % 6], hook: `hook-${at % 40}`,
  })));
  const { page, problems, close } = await open(home.report());
  assert.equal(await page.locator('#count').textContent(), '20,000 of 20,000 decisions');
  await page.locator('#text').fill('number-20499');
  await page.waitForFunction(() => document.getElementById('count').textContent.startsWith('1 of '));
  await page.locator('#text').fill('NUMBER-204 no-such-word');
  await page.waitForFunction(() => document.getElementById('count').textContent.startsWith('0 of '));
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.locator('#decision').selectOption('block');
  await page.locator('#agent').selectOption('codex');
  await page.locator('#project').selectOption('/work/p0');
  const expected = Array.from({ length: 20_000 }, (_, at) => at + 500).filter((at) => at % 6 === 0 && at % 30 === 0).length;
  await page.waitForFunction((number) => document.getElementById('count').textContent.startsWith(`${number} of `), expected);
  await page.locator('#more').click();
  assert.equal(await page.locator('#list > li').count(), 200);
  assert.deepEqual(problems, []);
  await close();
  home.remove();
});

test('every width and colour scheme passes axe and fits', { timeout: PATIENCE * 4 }, async () => {
  const home = new Home();
  home.run(['connect', 'claude']);
  home.run(['connect', 'codex']);
  sample(home);
  const file = home.report();
  const empty = new Home();
  const nothing = empty.report();
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [400, 700, 1000, 1280, 2000]) {
      for (const which of width === 1280 ? [file, nothing] : [file]) {
        // axe itself is a script that the page's policy would stop.
        const { page, close } = await open(which, { bypassCSP: true, colorScheme, viewport: { width, height: 900 } });
        for (const details of await page.locator('#coverage details > summary, #list > li:nth-child(-n+6) summary, figure summary').all()) await details.click();
        const where = `${colorScheme} ${width} ${which === file ? '' : 'empty'}`;
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where}: wider than the window`);
        await page.evaluate(AXE);
        const found = await page.evaluate((values) => window.axe.run(document, { runOnly: values }), LEVELS);
        const violations = found.violations.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
        assert.deepEqual(violations, []);
        await close();
      }
    }
  }
  home.remove();
  empty.remove();
});

test('the first screen answers, and numbers stand beside plots', { timeout: PATIENCE * 2 }, async () => {
  const home = new Home();
  home.run(['connect', 'claude']);
  home.run(['connect', 'codex']);
  sample(home);
  const { page, close } = await open(home.report());
  const first = await page.locator('.first').evaluate((box) => box.getBoundingClientRect().bottom);
  assert.ok(first <= 900, `the first screen ends at ${first}`);
  const coverage = await page.locator('#coverage').innerText();
  assert.match(coverage, /Claude Code\s+guarded/);
  assert.match(coverage, /Codex\s+not guarded/);
  assert.match(coverage, /cannot enforce \(measured with /);
  assert.match(await page.locator('#totals').innerText(), /10\s+blocked/);
  assert.match(await page.locator('#durations').innerText(), /95th percentile 57 ms/);
  assert.match(await page.locator('#over-time svg[role=img]').getAttribute('aria-label'), /^60 decisions between/);
  assert.match(await page.locator('#cost').innerText(), /format\s+3\s+5 ms\s+40 ms/);
  assert.match(await page.locator('#by-hook').innerText(), /no-force-push\s+50/);
  await page.locator('#total-ask').click();
  assert.equal(await page.locator('#more').isVisible(), false);
  assert.match(await page.locator('#count').innerText(), /^10 of 60/);
  await page.locator('#sessions button').first().click();
  assert.match(await page.locator('#count').innerText(), /^3 of 60/);
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.locator('#decision').selectOption('changed');
  await page.locator('#list summary').first().click();
  await page.locator('.body ins').waitFor(); // The body is filled when the browser says that it was opened.
  assert.deepEqual(await page.locator('.body del, .body ins').allTextContents(), ['− b', '+ B']);
  assert.match(await page.locator('.body').innerText(), /settings\.json:7/);
  await close();
  home.remove();
});

test('the keyboard suffices', { timeout: PATIENCE * 2 }, async () => {
  const home = new Home();
  sample(home);
  const { page, problems, close } = await open(home.report(), { permissions: [] });
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the decisions');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'text');
  await page.keyboard.type('branch-12');
  await page.waitForFunction(() => document.getElementById('count').textContent.startsWith('1 of '));
  await page.locator('#text').press('Tab');
  const focused = () => page.evaluate(() => document.activeElement.tagName);
  for (let presses = 0; await focused() !== 'SUMMARY' && presses < 20; presses += 1) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'SUMMARY');
  await page.keyboard.press('Enter');
  await page.locator('.body').waitFor();
  await page.keyboard.press('Tab');
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Copy: hookrail fire --from-log/);
  const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(ring, 'solid');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Copy: hookrail fire/ }).filter({ hasText: /Copied|Selected/ }).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'text');
  assert.deepEqual(problems, []);
  await close();
  home.remove();
});

test('a file names no place in the network', () => {
  const home = new Home();
  const page = fs.readFileSync(home.report(), 'utf8');
  assert.deepEqual([...page.matchAll(/https?:\/\/[^'"\s]+/g)].map(([found]) => found).filter((found) => found !== 'http://www.w3.org/2000/svg'), []);
  home.remove();
});
