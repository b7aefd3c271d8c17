/** The widget's two pages and their security policy. */
import type { FrameLook } from '../../../contract/widget/widget-protocol.ts';

export interface FrameAssets {
  script: string;
  style: string;
}

/** JSON that is safe inside a script or a page: nothing in it can end either. */
export function inScript(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Sandboxed by its own response too: opened directly, the frame still has no origin, so scripts in it could reach
 * neither the dashboard's session nor stored data.
 */
export function framePolicy(
  allowedOrigins: readonly string[],
  s3: { bucket: string; endpoint: string },
): string {
  const bucket = s3.bucket ? ` ${s3.endpoint ? new URL(s3.endpoint).origin : 'https://*.amazonaws.com'}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' blob:${bucket}`,
    `media-src 'self' blob:${bucket}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${allowedOrigins.length === 0 ? '*' : ["'self'", ...allowedOrigins].join(' ')}`,
    'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads',
  ].join('; ');
}

export function framePage(look: FrameLook, assets: FrameAssets): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<title>Chat</title>
<link rel="stylesheet" href="${assets.style}">
</head>
<body>
<div id="root"></div>
<script type="application/json" id="look">${inScript(look)}</script>
<script src="${assets.script}" defer></script>
</body>
</html>
`;
}

export function previewPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

const guides = {
  en: {
    title: 'Demo chat',
    text: 'Imagine that this is your website. You are a customer now: write something in the chat, then go back to the dashboard and watch the card appear.',
  },
  pt: {
    title: 'Chat de demonstração',
    text: 'Imagine que este é o seu site. Agora você é um cliente: escreva algo no chat, depois volte ao painel e veja o cartão aparecer.',
  },
  es: {
    title: 'Chat de demostración',
    text: 'Imagina que este es tu sitio. Ahora eres un cliente: escribe algo en el chat, luego vuelve al panel y mira aparecer la tarjeta.',
  },
};
export const guideLanguages = Object.keys(guides) as (keyof typeof guides)[];

/**
 * An example site, so that the widget is seen in its place. With a guide it is the demo chat of the first steps: a
 * few words instead of the headline, and the chat opened.
 */
export function previewPage(channelId: string, nonce: string, guide?: keyof typeof guides): string {
  const words = guide && guides[guide];
  const headline = words ? `<h1>${words.title}</h1><p>${words.text}</p>` : '<i class="h"></i>';
  const open = words ? ` data-open data-language="${guide}"` : '';
  return `<!doctype html>
<html lang="${guide ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words?.title ?? 'Preview'}</title>
<link rel="icon" href="/app/favicon.svg">
<style nonce="${nonce}">
  :root { color-scheme: light dark; --ink: #d9dce3; --paper: #fafafb; --line: #eceef2; }
  @media (prefers-color-scheme: dark) { :root { --ink: #2c2e35; --paper: #131417; --line: #1f2126; } }
  body { margin: 0; background: var(--paper); font: 14px/1.5 system-ui, sans-serif; }
  header { display: flex; gap: 20px; padding: 20px 32px; border-bottom: 1px solid var(--line); }
  main { max-width: 720px; padding: 40px 32px; }
  h1 { margin: 0 0 8px; font-size: 22px; line-height: 30px; } p { max-width: 46ch; margin: 0 0 32px; opacity: .8; }
  i { display: block; height: 10px; border-radius: 5px; background: var(--ink); margin: 0 0 14px; }
  header i { margin: 0; width: 64px; } header i:first-child { width: 110px; margin-right: auto; }
  .h { height: 24px; width: 60%; border-radius: 8px; margin-bottom: 28px; }
  .s { width: 45%; } .m { width: 82%; } .b { height: 160px; border-radius: 10px; opacity: .55; margin: 26px 0; }
</style>
</head>
<body>
<header aria-hidden="true"><i></i><i></i><i></i><i></i></header>
<main>${headline}<div aria-hidden="true"><i></i><i class="m"></i><i></i><i class="s"></i><i class="b"></i><i class="m"></i><i></i><i class="s"></i></div></main>
<script src="/widget.js?channel=${channelId}"${open} async></script>
</body>
</html>
`;
}
