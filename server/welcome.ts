/** The terminal output after a start: where the service is, how to sign in, what to try first. */
import type { FirstLogin } from './first-start.ts';

export function printFirstLogin({ email, generatedPassword }: FirstLogin): void {
  print([
    '',
    'This is the first start. Your administrator:',
    `  e-mail    ${email}`,
    generatedPassword
      ? `  password  ${generatedPassword}   (shown only once: keep it)`
      : '  password  the ADMIN_PASSWORD that you set',
  ]);
}

export function printWelcome(base: string, firstLogin: FirstLogin | null): void {
  print([
    '',
    `Talkboard is ready at ${base}`,
    `  Dashboard       ${base}/app/`,
    `  API reference   ${base}/docs`,
    '',
  ]);
  if (firstLogin) print(firstRequests(base, firstLogin));
}

/** Without the password: it is shown once, above. */
function firstRequests(base: string, { email }: FirstLogin): string[] {
  const json = `-H 'Content-Type: application/json'`;
  const takeToken = `sed 's/.*"token":"\\([^"]*\\)".*/\\1/'`;
  const takeSession = `sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/'`;
  return [
    'Sign in with your password, create an API token, create a record:',
    `  JWT=$(curl -s ${base}/auth/login ${json} \\`,
    `    -d '{"email":"${email}","password":"YOUR-ADMIN-PASSWORD"}' | ${takeToken})`,
    `  TOKEN=$(curl -s ${base}/api-tokens -H "Authorization: Bearer $JWT" ${json} \\`,
    `    -d '{"name":"first token"}' | ${takeToken})`,
    `  curl -s ${base}/crm/records -H "Authorization: Bearer $TOKEN" ${json} \\`,
    `    -d '{"title":"My first customer"}'`,
    '',
    'Send the first message and read the reply a moment later:',
    `  SESSION=$(curl -s ${base}/messages -H "Authorization: Bearer $TOKEN" ${json} \\`,
    `    -d '{"fromChannelIdentifier":"api","content":"What is Talkboard?"}' | ${takeSession})`,
    `  sleep 1; curl -s ${base}/sessions/$SESSION/messages -H "Authorization: Bearer $TOKEN"`,
    '',
  ];
}

function print(lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
