/**
 * Every setting with its default and its description. config.ts reads them from the environment, and
 * `npm run settings` writes docs/settings.md. Links in a description are relative to docs/.
 */
export interface Setting {
  /** What counts if the setting is empty; absent: nothing does. */
  default?: string;
  /** What the document shows as the default if it is computed. */
  shown?: string;
  about: string;
}

export const settingGroups = {
  'Addresses and network': {
    HOST: { default: '127.0.0.1', about: 'Address to listen on; `0.0.0.0` or `::` for all' },
    PORT: { default: '3000', about: 'Port to listen on; `0` picks a free one' },
    PUBLIC_URL: {
      shown: '`http://HOST:PORT`',
      about:
        'The address that clients use; `https://…` also makes the login cookie secure and sends `Strict-Transport-Security`',
    },
    TRUST_PROXY: {
      about:
        'Reverse proxies in front of the service, comma-separated CIDRs: `10.0.0.0/8, 2001:db8::/32`. Only their `X-Forwarded-For` is trusted ([security.md](security.md#behind-a-proxy))',
    },
    ALLOWED_ORIGINS: {
      about: 'Origins of other pages that may open a live connection: `https://desk.example.com, …`',
    },
    OUTBOUND_ALLOW: {
      about:
        'Private targets that webhooks, agents, push messages and the transcriber may reach: `10.1.2.3/32:8080, 127.0.0.0/8`. Never link-local',
    },
    INSTANCE_ADMIN_ADDRESSES: {
      about:
        'Where administrators of the instance may sign in and call from, comma-separated CIDRs. Empty: from everywhere ([second-factor.md](second-factor.md#allowed-addresses))',
    },
    WIDGET_SOCKETS_PER_ADDRESS: {
      default: '200',
      about: 'Open connections of chat widgets from one address, for each process; more are closed with 4423',
    },
    WIDGET_SOCKETS_PER_ACCOUNT: { default: '5000', about: 'The same for one account' },
    AI_REPLIES_PER_ADDRESS: {
      default: '300',
      about:
        'AI replies an hour to chat widgets at one address; beyond them a person is asked to answer ([widget.md](widget.md#limits-of-visitors))',
    },
    AI_REPLIES_PER_CHANNEL: { default: '2000', about: 'The same for one channel' },
    AI_REPLIES_HOURLY_PERCENT: {
      default: '25',
      about:
        "How much of an account's AI replies per day one hour may use, in percent, but at least 100 replies; beyond it a person is asked to answer",
    },
  },
  'First administrator and secrets': {
    ADMIN_EMAIL: {
      default: 'admin@example.com',
      about: "The first administrator's e-mail address; used at the first start only",
    },
    ADMIN_PASSWORD: {
      about:
        'Their password, at least 10 characters and not one of the most common ones. Empty: generated and printed once',
    },
    SECRET_KEY: {
      about:
        'At least 32 characters; signs logins and seals secrets. Empty: generated once, stored in `DATA_DIR/secret-key`',
    },
    SECRET_KEY_PREVIOUS: {
      about:
        'Earlier keys, comma-separated, that can still be read while the key is [replaced](security.md#replacing-the-secret-key)',
    },
  },
  'Database and processes': {
    DATABASE_URL: {
      about:
        'A PostgreSQL to use instead of the embedded one, `postgres://user:password@host/name`; several hosts are separated by commas ([scaling.md](scaling.md))',
    },
    PROCESS_ROLE: {
      default: 'all',
      about: '`api` answers requests, `worker` does background work, `all` does both',
    },
    NODE_ADDRESS: {
      about:
        'Where other processes reach this one, a host or a URL: `10.0.0.5`. Each account is then searched on one of them ([scaling.md](scaling.md#search-on-several-nodes))',
    },
    REDIS_URL: {
      about:
        'Lets several processes wake each other for live updates, `redis://host:6379`; without it they look every 25 ms',
    },
    CELLS: {
      about: 'Further databases for accounts, `eu2=postgres://…,eu3=postgres://…` ([cells.md](cells.md))',
    },
  },
  'Disk and memory': {
    DATA_DIR: { default: './data', about: 'Folder of the embedded database, the secret key and files' },
    MIN_FREE_DISK_MB: {
      default: '512',
      about:
        'Uploads get a 507 `DISK_FULL` while `DATA_DIR` has less free space than this; `0` turns the check off',
    },
    MESSAGE_SEARCH_MB: {
      default: '512',
      about:
        'Memory for searching messages, in each process; an account with more text is searched in its newest messages only',
    },
    SEARCH_FILES_MB: {
      default: '4096',
      about:
        'Disk space for search indexes under `DATA_DIR/search-indexes`, so that the first search after a start is fast. `0`: indexes are in memory only, and a start removes the files',
    },
  },
  'Attachments in a bucket': {
    S3_BUCKET: {
      about: 'Bucket for attachments; needs the two keys. Empty: files are stored under `DATA_DIR`',
    },
    S3_ENDPOINT: {
      about: "The object store, `https://minio.example.com`. Empty: Amazon's for `S3_REGION`",
    },
    S3_REGION: { default: 'us-east-1', about: 'Its region' },
    S3_ACCESS_KEY_ID: { about: 'Its access key' },
    S3_SECRET_ACCESS_KEY: { about: 'Its secret key' },
    S3_FORCE_PATH_STYLE: {
      default: 'false',
      about: '`true` for stores that expect the bucket in the path',
    },
  },
  Backups: {
    BACKUP_TO: {
      about:
        'Where backups are stored: a folder outside `DATA_DIR`, or `s3://bucket/prefix` with the `S3_…` settings. One for each instance. In `S3_BUCKET` the prefix itself is not backed up ([backups.md](backups.md))',
    },
    BACKUP_SCHEDULE: {
      about:
        'When the service makes them, in UTC: `03:15` each day, `sun 03:15` each week, `6h` every six hours. Empty: only on request',
    },
    BACKUP_KEEP: {
      default: '7d4w6m',
      about: 'Which ones the [rotation](backups.md#rotation) keeps: a number, or days, weeks and months',
    },
    BACKUP_PUBLIC_KEY: {
      about:
        'Public keys of `talkboard backup keygen`, separated by commas. Empty: backups are not encrypted',
    },
    BACKUP_SCRATCH_URL: {
      about: 'A database on the server where backups are restored for a test. Empty: that of `DATABASE_URL`',
    },
  },
  'E-mail': {
    SMTP_URL: {
      about:
        'Sends e-mail, `smtp://user:password@mail.example.com:587` or `smtps://…`. Empty: conversations cannot be sent by e-mail ([widget.md](widget.md#transcripts-by-e-mail)), and administrators pass on invitations and links for new passwords themselves',
    },
    MAIL_FROM: {
      about: 'The sender, `shop@example.com` or `Shop <shop@example.com>`; required with `SMTP_URL`',
    },
  },
  'Sign-in with a provider': {
    OIDC_ISSUER: {
      about:
        'The issuer of an OpenID Connect provider, `https://login.example.com` (`http://` on the same machine only). Its addresses and keys are read from there ([sign-in.md](sign-in.md))',
    },
    OIDC_CLIENT_ID: { about: 'The client at the provider; required with `OIDC_ISSUER`' },
    OIDC_CLIENT_SECRET: { about: 'Sent with `client_secret_basic`. Empty: a public client' },
    OIDC_NAME: { shown: "the issuer's host", about: "The provider's name on the sign-in page" },
    OIDC_SCOPES: { default: 'openid email profile', about: 'The scopes to request; must contain `openid`' },
    OIDC_CREATE_USERS: {
      default: 'false',
      about: '`true` creates users at their first sign-in; otherwise they must exist or be invited',
    },
    OIDC_TRUST_EMAIL: {
      default: 'false',
      about:
        '`true`: an e-mail address counts as verified if the provider sends no `email_verified`, as Microsoft Entra does. One with `false` never counts',
    },
    OIDC_ROLE_CLAIM: { about: 'The claim with the role, `roles`, or a path such as `realm_access.roles`' },
    OIDC_ROLES: {
      shown: 'the values are the names of roles',
      about:
        'The role for each value of the claim: `talkboard-admins=admin,staff=operator,help=role:First line`',
    },
    OIDC_DEFAULT_ROLE: {
      shown: '`operator`; with `OIDC_ROLE_CLAIM` none',
      about: 'The role of a new user without the claim',
    },
    OIDC_ACCOUNT_CLAIM: { about: 'The claim with the account of a new user, by its id or its exact name' },
    OIDC_DEFAULT_ACCOUNT: {
      about:
        'The account of a new user without the claim, by id or name. Empty: the only account, if there is one only',
    },
    OIDC_ONLY: {
      default: 'false',
      about: '`true` refuses passwords and passkeys; `talkboard login-link` still signs in',
    },
  },
  'Voice messages': {
    TRANSCRIBE_URL: {
      about:
        "A server that transcribes voice messages with OpenAI's protocol. Empty: offline, English only ([voice.md](voice.md))",
    },
    TRANSCRIBE_API_KEY: { about: 'Its key' },
    TRANSCRIBE_MODEL: { shown: '`whisper-1`', about: 'Its model' },
    PATH: {
      shown: "the system's",
      about: 'Where `ffmpeg` is searched; without one, FFmpeg as WASM converts voice messages',
    },
  },
  'Logs, metrics and traces': {
    LOG_LEVEL: {
      default: 'info',
      about: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    },
    HEALTH_PORT: {
      about:
        'A further port that answers `/health/live`, `/health/ready`, `/metrics` and `/version` only, without a token: do not publish it. A process with the role `worker` has no other. Empty: no such port',
    },
    METRICS_TOKEN: {
      about:
        'What a caller of `/metrics` on `PORT` sends as a Bearer token, at least 16 characters. Empty: `/metrics` answers only direct calls from the same machine ([observability.md](observability.md#metrics))',
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      about:
        'An OpenTelemetry collector for traces and metrics, `http://127.0.0.1:4318`; `/v1/traces` and `/v1/metrics` are added. Empty: none ([observability.md](observability.md#opentelemetry))',
    },
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { about: 'The whole address for traces' },
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: { about: 'The whole address for metrics' },
    OTEL_EXPORTER_OTLP_HEADERS: { about: 'Sent with each request: `name=value,other=value`' },
    OTEL_EXPORTER_OTLP_PROTOCOL: { default: 'http/json', about: 'No other is supported' },
    OTEL_TRACES_EXPORTER: { default: 'otlp', about: '`none` turns traces off' },
    OTEL_METRICS_EXPORTER: { default: 'otlp', about: '`none` turns metrics off' },
    OTEL_SERVICE_NAME: { default: 'talkboard', about: 'The name of the service' },
    OTEL_RESOURCE_ATTRIBUTES: {
      about: 'More attributes: `deployment.environment.name=production`',
    },
    OTEL_TRACES_SAMPLER: {
      default: 'parentbased_always_on',
      about: '`always_on`, `always_off` or `traceidratio`, with or without `parentbased_`',
    },
    OTEL_TRACES_SAMPLER_ARG: { default: '1', about: 'The share of traces for `traceidratio`, from 0 to 1' },
    OTEL_BSP_SCHEDULE_DELAY: { default: '5000', about: 'Milliseconds between two exports of spans' },
    OTEL_METRIC_EXPORT_INTERVAL: {
      default: '60000',
      about: 'Milliseconds between two exports of metrics',
    },
    OTEL_SDK_DISABLED: { default: 'false', about: '`true` turns all of OpenTelemetry off' },
    TRUST_TRACEPARENT: {
      default: 'false',
      about:
        '`true`: a request with a `traceparent` header continues the trace of its caller. Anyone can send the header and so decide what is recorded: use it only behind a proxy that sets or removes it',
    },
  },
} as const satisfies Record<string, Record<string, Setting>>;

type Groups = typeof settingGroups;
export type SettingName = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

export const settings = Object.assign({}, ...Object.values(settingGroups)) as Record<SettingName, Setting>;
