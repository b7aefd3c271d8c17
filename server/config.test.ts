import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError, readConfig, withPort } from './config.ts';

const problemsOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return '';
};

describe('the settings', () => {
  it('have defaults that need nothing from the environment', () => {
    const { s3, transcribe, outboundAllow: _nothing, ...config } = readConfig({});
    assert.deepEqual(config, {
      host: '127.0.0.1',
      port: 3000,
      healthPort: null,
      metricsToken: '',
      publicUrl: 'http://127.0.0.1:3000',
      executables: '',
      hasPublicUrl: false,
      allowedOrigins: [],
      trustProxy: [],
      instanceAdminAddresses: [],
      dataDir: resolve('data'),
      minFreeDiskMb: 512,
      messageSearchMb: 512,
      searchFilesMb: 4096,
      widgetSockets: { perAddress: 200, perAccount: 5000 },
      aiReplies: { perAddress: 300, perChannel: 2000, hourlyPercent: 25 },
      databaseUrl: '',
      cells: [],
      nodeUrl: '',
      redisUrl: '',
      mail: null,
      oidc: null,
      telemetry: null,
      backups: {
        to: '',
        schedule: null,
        keep: { last: 0, days: 7, weeks: 4, months: 6 },
        publicKeys: [],
        scratchUrl: '',
      },
      adminEmail: 'admin@example.com',
      adminPassword: '',
      secretKey: '',
      previousSecretKeys: [],
      role: 'all',
      logLevel: 'info',
    });
    assert.equal(s3.region, 'us-east-1');
    assert.deepEqual(transcribe, { url: '', apiKey: '', model: '' });
  });

  it('are trimmed, and an empty one counts as not set', () => {
    const config = readConfig({ PORT: ' 8080 ', HOST: '', PUBLIC_URL: 'https://chat.example.com///' });
    assert.deepEqual(
      [config.port, config.host, config.publicUrl],
      [8080, '127.0.0.1', 'https://chat.example.com'],
    );
  });

  it('take the address of a node as a host or as a URL', () => {
    const read = (NODE_ADDRESS: string) => readConfig({ NODE_ADDRESS, PORT: '8080' }).nodeUrl;
    assert.equal(read('10.0.0.5'), 'http://10.0.0.5:8080');
    assert.equal(read('fd00::5'), 'http://[fd00::5]:8080');
    assert.equal(read('https://api-1.internal/'), 'https://api-1.internal');
    for (const wrong of ['ftp://a', 'http://a/path', 'http://u:p@a', 'http://a?x', 'a b'])
      assert.throws(() => read(wrong), /NODE_ADDRESS: must be a host/);
  });

  it('make an address that a browser can open of a host that means every interface', () => {
    for (const host of ['0.0.0.0', '::']) {
      assert.equal(readConfig({ HOST: host }).publicUrl, 'http://127.0.0.1:3000');
    }
    assert.equal(readConfig({ HOST: '::1', PORT: '80' }).publicUrl, 'http://[::1]:80');
  });

  it('get the port that was chosen for PORT=0, unless an address was set', () => {
    const chosen = withPort(readConfig({ PORT: '0', NODE_ADDRESS: '10.0.0.1' }), 4711);
    assert.deepEqual(
      [chosen.port, chosen.publicUrl, chosen.nodeUrl],
      [4711, 'http://127.0.0.1:4711', 'http://10.0.0.1:4711'],
    );
    const set = readConfig({ PORT: '0', PUBLIC_URL: 'https://chat.example.com' });
    assert.equal(withPort(set, 4711).publicUrl, 'https://chat.example.com');
    assert.equal(withPort(readConfig({ PORT: '8080' }), 4711).port, 8080);
  });

  it('name the databases of cells, also one with several hosts', () => {
    const { cells } = readConfig({
      DATABASE_URL: 'postgres://a@db1/talkboard',
      CELLS: ' eu2=postgres://a:p%2C@db2,db3:5433/talkboard , us1=postgresql://a@/talkboard?host=/run/us1 ,',
    });
    assert.deepEqual(cells, [
      { name: 'eu2', url: 'postgres://a:p%2C@db2,db3:5433/talkboard' },
      { name: 'us1', url: 'postgresql://a@/talkboard?host=/run/us1' },
    ]);
  });

  it('refuse cells that cannot be told apart, without repeating a password', () => {
    const home = { DATABASE_URL: 'postgres://a:topsecret@db1/talkboard' };
    for (const [value, problem] of [
      ['postgres://a:topsecret@db2/x', /entry 1 must look like eu2=postgres/],
      ['eu2=postgres://a:topsecret@db2/x,eu3', /entry 2 must look like/],
      ['eu2=', /the address of eu2 needs an address/],
      ['eu2=http://a:topsecret@db2/x', /the address of eu2 must be a URL that begins with postgres/],
      ['EU 2=postgres://a:topsecret@db2/x', /the name "EU 2" must begin with a lower-case letter/],
      ['home=postgres://a:topsecret@db2/x', /"home" is that of DATABASE_URL/],
      ['eu2=postgres://a:topsecret@db2/x,eu2=postgres://a@db3/x', /the name "eu2" is used twice/],
      ['eu2=postgres://b:topsecret@DB1:5432/talkboard', /eu2 is the same database as DATABASE_URL/],
      ['eu2=postgres://a:topsecret@db2/x,eu3=postgres://b@db2/x', /eu3 is the same database as eu2/],
    ] as const) {
      const told = problemsOf({ ...home, CELLS: value });
      assert.match(told, problem);
      assert.ok(!told.includes('topsecret'), told);
    }
  });

  it('accept a database on a unix socket', () => {
    const url = 'postgres://talkboard@/talkboard?host=/run/postgresql';
    assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url);
  });

  const wrong: [string, string, RegExp][] = [
    ['PORT', 'http', /PORT: must be a whole number from 0 to 65535, not "http"/],
    ['PORT', '65536', /PORT/],
    ['MIN_FREE_DISK_MB', '-1', /MIN_FREE_DISK_MB: must be a whole number of megabytes, 0 or more/],
    ['AI_REPLIES_PER_ADDRESS', '0', /AI_REPLIES_PER_ADDRESS: must be a whole number from 1 to 1000000000/],
    ['AI_REPLIES_HOURLY_PERCENT', '101', /AI_REPLIES_HOURLY_PERCENT: must be a whole number from 1 to 100/],
    ['PUBLIC_URL', 'chat.example.com', /PUBLIC_URL: must be a URL that begins with http:\/\/ or https:\/\//],
    ['ALLOWED_ORIGINS', 'desk.example.com', /ALLOWED_ORIGINS/],
    ['DATABASE_URL', 'mysql://localhost', /DATABASE_URL: must be a URL that begins with postgres:/],
    ['REDIS_URL', 'http://localhost', /REDIS_URL/],
    ['S3_ENDPOINT', 'ftp://files', /S3_ENDPOINT/],
    ['S3_FORCE_PATH_STYLE', 'maybe', /S3_FORCE_PATH_STYLE: must be true or false/],
    ['S3_BUCKET', 'files', /S3_BUCKET: needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/],
    ['TRANSCRIBE_URL', 'localhost', /TRANSCRIBE_URL/],
    ['SMTP_URL', 'mail.example.com', /SMTP_URL: must be a URL that begins with smtp:/],
    ['SMTP_URL', 'smtp://mail.example.com', /SMTP_URL: needs MAIL_FROM/],
    ['SMTP_URL', 'smtp://', /SMTP_URL: needs a host/],
    [
      'SMTP_URL',
      'smtp://shop:100%@mail.example.com',
      /SMTP_URL: has a user or a password with a wrong percent-enc/,
    ],
    ['OIDC_ONLY', 'true', /OIDC_ONLY: needs OIDC_ISSUER/],
    ['OIDC_ISSUER', 'https://login.example.com', /OIDC_CLIENT_ID: is required with OIDC_ISSUER/],
    ['OIDC_ISSUER', 'http://login.example.com', /OIDC_ISSUER: must be a URL that begins with https:/],
    ['ADMIN_EMAIL', 'admin', /ADMIN_EMAIL: must be an e-mail address/],
    ['ADMIN_PASSWORD', 'short', /ADMIN_PASSWORD: must have at least 10 characters/],
    ['ADMIN_PASSWORD', 'Password123', /ADMIN_PASSWORD: is one of the most common passwords/],
    ['ADMIN_PASSWORD', 'admin@example.com', /ADMIN_PASSWORD: must not be the e-mail address/],
    ['TRUST_PROXY', 'proxy.example.com', /TRUST_PROXY: must be CIDRs such as 10\.0\.0\.0\/8/],
    ['TRUST_PROXY', '10.0.0.0/8, 10.0.0.0/64', /TRUST_PROXY.*not "10\.0\.0\.0\/64"/],
    ['SECRET_KEY', 'short', /SECRET_KEY: must have at least 32 characters/],
    ['OUTBOUND_ALLOW', 'anything', /OUTBOUND_ALLOW/],
    ['OUTBOUND_ALLOW', '169.254.0.0/16', /OUTBOUND_ALLOW/],
    ['PROCESS_ROLE', 'web', /PROCESS_ROLE: must be one of all, api, worker, not "web"/],
    ['LOG_LEVEL', 'loud', /LOG_LEVEL: must be one of fatal/],
  ];
  for (const [name, value, message] of wrong) {
    it(`refuse ${name}=${value}`, () => assert.match(problemsOf({ [name]: value }), message));
  }

  it('read the provider', () => {
    const given = { OIDC_ISSUER: 'https://login.example.com/realm', OIDC_CLIENT_ID: 'talkboard' };
    assert.deepEqual(readConfig(given).oidc, {
      issuer: given.OIDC_ISSUER,
      clientId: 'talkboard',
      clientSecret: '',
      name: 'login.example.com',
      scopes: 'openid email profile',
      roleClaim: '',
      roleOfValue: null,
      defaultRole: 'operator',
      accountClaim: '',
      defaultAccount: '',
      createsUsers: false,
      trustsEmail: false,
      isOnlyWay: false,
    });
    const roles = readConfig({
      ...given,
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLES: 'cn=leads=admin, staff=operator, help=role:First line',
    }).oidc;
    assert.deepEqual(
      [...roles!.roleOfValue!, roles!.defaultRole],
      [['cn=leads', 'admin'], ['staff', 'operator'], ['help', 'First line'], null],
    );
    const problems = problemsOf({
      ...given,
      OIDC_SCOPES: 'email',
      OIDC_ROLES: 'staff',
      OIDC_DEFAULT_ROLE: 'owner',
      OIDC_CREATE_USERS: 'maybe',
    });
    assert.match(problems, /OIDC_SCOPES: must contain openid/);
    assert.match(problems, /OIDC_ROLES: must be pairs such as talkboard-admins=admin, not "staff"/);
    assert.match(
      problems,
      /OIDC_DEFAULT_ROLE: must be one of admin, operator, or role: with the name of a role, not "owner"/,
    );
    assert.match(problems, /OIDC_CREATE_USERS: must be true or false/);
  });

  it('read the mail server and the sender', () => {
    const mailOf = (SMTP_URL: string, MAIL_FROM: string) => readConfig({ SMTP_URL, MAIL_FROM }).mail;
    assert.deepEqual(mailOf('smtp://a%40b:p%25@[::1]', '"The Shop" <shop@example.com>'), {
      host: '::1',
      port: 587,
      isSecure: false,
      user: 'a@b',
      password: 'p%',
      from: { name: 'The Shop', address: 'shop@example.com' },
    });
    const plain = mailOf('smtps://mail.example.com', 'shop@example.com');
    assert.deepEqual([plain?.port, plain?.from], [465, { name: '', address: 'shop@example.com' }]);
  });

  it('name all that is wrong at once, and never a secret', () => {
    const told = problemsOf({ PORT: 'x', LOG_LEVEL: 'y', SECRET_KEY: 'hush', ADMIN_PASSWORD: 'hush' });
    assert.match(told, /PORT.*ADMIN_PASSWORD.*SECRET_KEY.*LOG_LEVEL/s);
    assert.doesNotMatch(told, /hush/);
  });
});
