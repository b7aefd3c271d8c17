/** The style sheet and the script of all help centers. The pages work without the script. */

export const styleSheet = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1c1d22;--faint:#5c6070;--line:#e3e5eb;--soft:#f5f6f8;--link:#1d4ed8}
@media(prefers-color-scheme:dark){:root{--paper:#131417;--ink:#e8e9ee;--faint:#a2a6b4;--line:#2c2e35;--soft:#1c1d22;--link:#93b4ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--link);text-underline-offset:2px}
a:focus-visible,button:focus-visible,input:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;top:-99px}.skip:focus{inset-inline-start:8px;top:8px;background:var(--paper);padding:8px}
header{background:var(--accent);color:var(--on-accent)}
header a{color:inherit}
header>div,main,footer{max-width:760px;margin:0 auto;padding:16px 20px}
.top{display:flex;flex-wrap:wrap;gap:12px;align-items:center;justify-content:space-between}
.brand{display:flex;gap:10px;align-items:center;font-weight:600;font-size:18px;text-decoration:none}
.brand img{height:32px;max-width:160px;object-fit:contain}
.languages{display:flex;flex-wrap:wrap;gap:12px;margin:0;padding:0;list-style:none;font-size:14px}
.languages [aria-current]{font-weight:600;text-decoration:none}
form[role=search]{display:flex;gap:8px;margin-top:14px}
input{flex:1;min-width:0;font:inherit;padding:9px 12px;border:1px solid var(--line);border-radius:8px;background:var(--paper);color:var(--ink)}
button{font:inherit;padding:8px 16px;border:1px solid var(--line);border-radius:8px;background:var(--soft);color:var(--ink);cursor:pointer}
#suggestions:not(:empty){margin-top:8px;padding:4px 14px;border-radius:8px;background:var(--paper);color:var(--ink)}
#suggestions a{color:var(--link)}
h1{font-size:28px;line-height:1.25;margin:20px 0 12px}h2{font-size:21px;margin:28px 0 8px}h3{font-size:18px;margin:24px 0 8px}h4,h5,h6{font-size:16px;margin:20px 0 8px}
.path{font-size:14px;color:var(--faint)}
.path ol{display:flex;flex-wrap:wrap;gap:6px;margin:0;padding:0;list-style:none}.path li+li:before{content:"/" / "";margin-inline-end:6px}
.list{margin:0;padding:0;list-style:none}.list li{padding:11px 0;border-bottom:1px solid var(--line)}
.list a{font-weight:500;text-decoration:none}.list a:hover{text-decoration:underline}
.list p,.meta{margin:2px 0 0;color:var(--faint);font-size:14px}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,210px),1fr));gap:12px;margin:16px 0;padding:0;list-style:none}
.tiles li{position:relative;display:flex;flex-direction:column;gap:4px;padding:16px;border:1px solid var(--line);border-radius:10px;background:var(--soft)}
.tiles li:hover{border-color:var(--link)}
.tiles a{font-weight:600;text-decoration:none}.tiles a:after{content:"";position:absolute;inset:0}
.tiles span{color:var(--faint);font-size:14px}
img{max-width:100%;height:auto}
pre,code{font-family:ui-monospace,monospace;font-size:.9em;background:var(--soft);border-radius:4px}code{padding:1px 4px}pre{padding:12px;overflow-x:auto}pre code{padding:0}
.wide{overflow-x:auto;margin:16px 0}table{border-collapse:collapse}th,td{padding:6px 12px;border:1px solid var(--line);text-align:start;vertical-align:top;overflow-wrap:break-word}th{background:var(--soft)}
.feedback{display:flex;flex-wrap:wrap;gap:10px;align-items:center;margin-top:36px;padding-top:16px;border-top:1px solid var(--line)}
.pages{display:flex;gap:20px;margin-top:16px}
footer{padding-bottom:48px}
[dir=rtl] [dir=ltr]{text-align:end;justify-content:flex-end}
[hidden]{display:none!important}
`.trim();

export const script = `
'use strict';
(() => {
  const form = document.querySelector('form[role=search]');
  const box = document.getElementById('suggestions');
  if (form && box) {
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target.closest('input, textarea, select, [contenteditable]');
      const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
      const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isSlash && !isK) return;
      event.preventDefault();
      form.q.focus();
      form.q.select();
    });
    let timer;
    let latest = 0;
    form.q.addEventListener('input', () => {
      clearTimeout(timer);
      const turn = ++latest;
      if (form.q.value.trim().length < 3) return box.replaceChildren();
      timer = setTimeout(async () => {
        const query = new URLSearchParams(new FormData(form));
        const answer = await window.fetch(form.action + '?' + query).catch(() => null);
        if (!answer || !answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        const found = page.querySelector('main .list');
        if (turn === latest) box.replaceChildren(...(found ? [found] : []));
      }, 300);
    });
  }
  const feedback = document.querySelector('form.feedback');
  if (feedback) feedback.addEventListener('submit', async (event) => {
    event.preventDefault();
    const helpful = event.submitter.value === 'true';
    const answer = await window.fetch(feedback.action, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ helpful }),
    }).catch(() => null);
    if (!answer || !answer.ok) return;
    const thanks = document.createElement('p');
    thanks.setAttribute('role', 'status');
    thanks.textContent = feedback.dataset.thanks;
    feedback.replaceChildren(thanks);
  });
  const contact = document.getElementById('contact');
  if (contact) {
    contact.hidden = false;
    contact.addEventListener('click', () => window.Talkboard && window.Talkboard.open());
  }
})();
`.trim();
