/**
 * The script that a site loads: the button, and on demand the frame with the chat. No framework, no global but `Talkboard`,
 * no effect on the page's styles: everything is in a shadow tree.
 * The frame is sandboxed without an origin. It asks this script for what needs the page: storage and the microphone.
 */
import type { WidgetLook } from '../contract/widget/widget-protocol.ts';

interface Assets {
  assets: { script: string; style: string };
}
declare const __TALKBOARD_LOOK__: WidgetLook & Assets;
type Kept = { token?: string; user?: string; queue?: unknown; draft?: string; done?: object };
type Known = { user?: string; signature?: string; name?: string };

const look = __TALKBOARD_LOOK__;
const script = document.currentScript as HTMLScriptElement;
const base = new URL(script.src).origin;
const { dataset } = script;
let known: Known = { user: dataset.user, signature: dataset.signature, name: dataset.name };

const texts = {
  en: ['Open chat', 'Close chat', 'Chat'],
  pt: ['Abrir o chat', 'Fechar o chat', 'Chat'],
  es: ['Abrir el chat', 'Cerrar el chat', 'Chat'],
};
const wanted =
  dataset.language ||
  (look.language === 'auto' ? document.documentElement.lang || navigator.language : look.language);
const language = (/^(pt|es)/i.exec(wanted)?.[0].toLowerCase() ?? 'en') as keyof typeof texts;
const [openText, closeText, frameText] = texts[language] as [string, string, string];

const storageKey = `talkboard:${look.channel}`;
let kept: Kept = {};
try {
  kept = JSON.parse(localStorage.getItem(storageKey) ?? '{}') ?? {};
} catch {
  // Storage is disabled: the chat works for this visit only.
}
const keep = (change: Kept) => {
  kept = { ...kept, ...change };
  try {
    localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {}
};

const make = <K extends keyof HTMLElementTagNameMap>(name: K, attributes: { [name: string]: string }) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

/** Black or white, whichever can be read on the colour. */
const [red, green, blue] = [1, 3, 5].map((at) => {
  const part = Number.parseInt(look.color.slice(at, at + 2), 16) / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}) as [number, number, number];
const ink = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.36 ? '#111' : '#fff';

const host = make('div', { 'data-talkboard': '' });
const root = host.attachShadow({ mode: 'open' });
const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:host{all:initial;position:fixed;z-index:2147483000;bottom:0;${look.side}:0;width:0;height:0}
button{all:unset;box-sizing:border-box;position:fixed;bottom:calc(20px + env(safe-area-inset-bottom));${look.side}:20px;width:52px;height:52px;border-radius:50%;background:${look.color};color:${ink};cursor:pointer;display:grid;place-items:center;box-shadow:0 1px 3px rgb(0 0 0/.14),0 6px 20px rgb(0 0 0/.2);transition:transform .14s cubic-bezier(.2,0,0,1);-webkit-tap-highlight-color:transparent}
button:hover{transform:scale(1.05)}button:active{transform:scale(.96)}
button:focus-visible{outline:2px solid ${look.color};outline-offset:3px}
svg{width:24px;height:24px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
span{position:absolute;top:-2px;right:-2px;min-width:18px;height:18px;box-sizing:border-box;padding:0 5px;border-radius:9px;background:#d92d3a;color:#fff;font:600 11px/18px system-ui,sans-serif;text-align:center}
span:empty{display:none}
iframe{all:unset;position:fixed;bottom:calc(84px + env(safe-area-inset-bottom));${look.side}:20px;width:384px;height:min(640px,100vh - 108px);height:min(640px,100dvh - 108px);border-radius:14px;overflow:hidden;color-scheme:normal;box-shadow:0 0 0 1px rgb(20 22 30/.08),0 12px 48px -8px rgb(20 22 30/.28);opacity:0;visibility:hidden;transform:translateY(8px);transition:opacity .14s,transform .14s cubic-bezier(.2,0,0,1),visibility 0s .14s}
.open iframe{opacity:1;visibility:visible;transform:none;transition-delay:0s}
@media(max-width:480px){iframe{inset:0;width:100%;height:100%;height:100dvh;border-radius:0;box-shadow:none}.open button{visibility:hidden}}
@media(prefers-reduced-motion){button,iframe{transition:none}}
@media print{:host{display:none}}`);
root.adoptedStyleSheets = [sheet];
const box = make('div', {});
const button = make('button', {
  type: 'button',
  'aria-label': openText,
  'aria-expanded': 'false',
  'aria-haspopup': 'dialog',
});
const badge = make('span', { 'aria-hidden': 'true' });
const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
svg.setAttribute('viewBox', '0 0 24 24');
svg.setAttribute('aria-hidden', 'true');
const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
svg.append(path);
const bubble = 'M21 12a8 8 0 0 1-8 8H4l1.6-3.2A8 8 0 1 1 21 12Z';
const arrow = 'm6 9.5 6 6 6-6';
path.setAttribute('d', bubble);
button.append(svg, badge);
box.append(button);
root.append(box);

let frame: HTMLIFrameElement | undefined;
let isOpen = false;
let lastFocus: Element | null = null;

const tell = (message: object) => frame?.contentWindow?.postMessage({ talkboard: message }, '*');

const start = async () => {
  const { user, signature, name } = known;
  // A previous customer's conversation on this computer is not continued.
  if (kept.user !== user)
    keep({ user, token: undefined, queue: undefined, draft: undefined, done: undefined });
  try {
    const answer = await fetch(`${base}/widget/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channel: look.channel, token: kept.token, user, signature, name }),
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.message);
    if (user && !body.isKnown) console.warn('Talkboard: the signature of the customer does not hold.');
    keep({ token: body.token });
    tell({ ...body, type: 'session' });
  } catch (error) {
    console.warn(`Talkboard: ${(error as Error).message}`);
    tell({ type: 'unreachable' });
  }
};

const prepare = () => {
  if (frame) return;
  frame = make('iframe', {
    title: frameText,
    sandbox: 'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads',
    src: `${base}/widget/frame?channel=${encodeURIComponent(look.channel)}`,
  });
  box.append(frame);
};

const open = () => {
  if (isOpen) return;
  prepare();
  isOpen = true;
  lastFocus = document.activeElement;
  badge.textContent = '';
  box.className = 'open';
  path.setAttribute('d', arrow);
  button.setAttribute('aria-expanded', 'true');
  button.setAttribute('aria-label', closeText);
  frame?.focus();
  tell({ type: 'open' });
};

const close = () => {
  if (!isOpen) return;
  isOpen = false;
  box.className = '';
  path.setAttribute('d', bubble);
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-label', openText);
  tell({ type: 'close' });
  if (lastFocus === host) button.focus();
  else (lastFocus as HTMLElement | null)?.focus?.();
};

/** In the page, because a frame without an origin cannot ask for the microphone. */
let recorder: MediaRecorder | undefined;
const record = async () => {
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const type = ['audio/webm;codecs=opus', 'audio/mp4'].find((one) => MediaRecorder.isTypeSupported(one));
    const own = new MediaRecorder(stream, type ? { mimeType: type } : {});
    const parts: Blob[] = [];
    own.ondataavailable = ({ data }) => parts.push(data);
    own.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      tell({ type: 'recorded', blob: new Blob(parts, { type: own.mimeType.split(';')[0] }) });
    };
    own.start(1_000);
    recorder = own;
    tell({ type: 'recording' });
  } catch {
    tell({ type: 'no-microphone' });
  }
};

addEventListener('message', ({ source, data }) => {
  if (!frame || source !== frame.contentWindow || !data?.talkboard) return;
  const { type, ...rest } = data.talkboard;
  if (type === 'ready') {
    tell({ ...kept, type: 'begin', language, isOpen });
    void start();
  } else if (type === 'start') void start();
  else if (type === 'close') close();
  else if (type === 'keep') keep(rest);
  else if (type === 'unread')
    badge.textContent = isOpen || !rest.count ? '' : String(Math.min(rest.count, 99));
  else if (type === 'record') void record();
  else if (type === 'stop' && recorder?.state === 'recording') recorder.stop();
});

button.onclick = () => (isOpen ? close() : open());
// Preloads on hover.
for (const event of ['pointerenter', 'touchstart', 'focus'])
  button.addEventListener(event, prepare, { passive: true });
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && isOpen && document.activeElement === host) close();
});

const show = () => {
  document.body.append(host);
  // Returning visitors are notified of answers.
  if (kept.token) setTimeout(prepare, 1_500);
  if (dataset.open !== undefined) open();
};
if (document.body) show();
else addEventListener('DOMContentLoaded', show);

(window as unknown as { Talkboard: object }).Talkboard = {
  open,
  close,
  /** For sites that sign users in or out without a page load. */
  identify(next: Known) {
    known = next ?? {};
    if (frame) void start();
  },
};
