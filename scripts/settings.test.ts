import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readConfig } from '../server/config.ts';
import { settingGroups, settings } from '../server/settings.ts';
import { describeSettings, settingsFile } from './settings.ts';

describe('docs/settings.md', () => {
  it('is what server/settings.ts says', () => {
    const current = readFileSync(settingsFile, 'utf8') === describeSettings();
    assert.ok(current, 'docs/settings.md is not current: run `npm run settings`');
  });

  it('has every setting once, and each is read', () => {
    const names = Object.values(settingGroups).flatMap((group) => Object.keys(group));
    assert.deepEqual(
      names.toSorted(),
      Object.keys(settings).toSorted(),
      'a setting is in two groups of server/settings.ts',
    );
    const read = new Set<string>();
    // Some are read only with these.
    const env = {
      OIDC_ISSUER: 'https://login.example.com',
      OIDC_CLIENT_ID: 'talkboard',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    };
    readConfig(
      new Proxy<Record<string, string | undefined>>(env, {
        get: (target, name) => {
          read.add(String(name));
          return target[String(name)];
        },
      }),
    );
    assert.deepEqual([...read].toSorted(), names.toSorted());
  });
});
