/** `npm run settings`: writes docs/settings.md from server/settings.ts. settings.test.ts fails when it is not current. */
import { writeFileSync } from 'node:fs';
import { type Setting, settingGroups } from '../server/settings.ts';

export const settingsFile = new URL('../docs/settings.md', import.meta.url);

const head = `# Settings

Generated from \`server/settings.ts\` by \`npm run settings\`.

All settings come from the environment. The service reads them once at start. If a value is wrong, the start fails with a
message that names the setting. A setting that is empty counts as not set. Commands (\`npx talkboard …\`) use the same
settings.
`;

export function describeSettings(): string {
  const parts = Object.entries(settingGroups).map(([title, group]) => {
    const rows = Object.entries(group).map(([name, setting]: [string, Setting]) => {
      const fallback = setting.shown ?? (setting.default ? `\`${setting.default}\`` : 'empty');
      return `| \`${name}\` | ${fallback} | ${setting.about} |\n`;
    });
    return `## ${title}\n\n| Setting | Default | Meaning |\n|---|---|---|\n${rows.join('')}`;
  });
  return [head, ...parts].join('\n');
}

if (import.meta.main) writeFileSync(settingsFile, describeSettings());
