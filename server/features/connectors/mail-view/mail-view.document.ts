/** The document that shows a mail, and the headers that keep it apart from everything else. */
import { mailSandbox } from '../../../../contract/messaging/mail.ts';
import type { CleanMail } from './mail-view.sanitise.ts';

export type MailTheme = 'light' | 'dark';

/**
 * `sandbox` without `allow-scripts`: no script runs, no form is sent, and the page does not refresh itself. Pictures of
 * other hosts only when the reader asked for them.
 */
function mailPolicy(remoteImages: boolean): string {
  return [
    `sandbox ${mailSandbox}`,
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${remoteImages ? ' https: http:' : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

export const mailHeaders = (remoteImages: boolean): { [name: string]: string } => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': mailPolicy(remoteImages),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'x-dns-prefetch-control': 'off',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
});

/** A mail that chooses colours stays on white paper, since most are written for it. */
export function mailDocument({ body, sheet, hasColors }: CleanMail, theme: MailTheme): string {
  const look = theme === 'dark' && !hasColors ? dark : light;
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title></title>
<style>${look}${base}</style>
<style>${sheet}</style>
<style>${bounds}</style>
</head>
<body dir="auto">
${body}
</body>
</html>
`;
}

const light = ':root{color-scheme:light;background:#fff;color:#17181c}a{color:#434bbd}';
const dark = ':root{color-scheme:dark;background:#1b1c21;color:#ececf0}a{color:#a9b0ff}';
const base = `
body{margin:0;padding:16px;font:14px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
.tb-body{box-sizing:border-box;min-height:100vh;margin:-16px;padding:16px}
blockquote{margin:8px 0;padding-left:12px;border-left:2px solid #8a909c}
.MsoNormal{margin:0}
`;
/** After the styles of the mail: it never gets wider than its frame, and a link under the pointer or with the focus shows its real address. */
const bounds = `
html{overflow-x:hidden!important}
body{min-width:0!important;max-width:100%!important;width:auto!important;overflow-wrap:anywhere}
img{max-width:100%!important;height:auto}
img.tb-blocked{display:inline-block;min-width:24px;min-height:16px;border:1px dashed #8a909c;border-radius:4px}
table,div,p,pre,blockquote{max-width:100%!important}
.tb-body{max-width:none!important}
pre{white-space:pre-wrap!important}
a[title]:is(:hover,:focus-visible,:active)::after{content:attr(title)!important;position:fixed!important;inset:auto auto 0 0!important;z-index:2147483647!important;max-width:90vw;padding:2px 8px!important;overflow:hidden!important;font:12px/18px system-ui,sans-serif!important;white-space:nowrap!important;text-overflow:ellipsis!important;text-decoration:none!important;color:#fff!important;background:#17181c!important;border-radius:0 4px 0 0!important}
@media (max-width:720px){
table,tbody,tr,td,th,div,p,center,section{min-width:0!important;width:auto!important;white-space:normal!important}
td,th{overflow-wrap:anywhere!important}
}
`;
