/** Sizes, page caps and closed lists of values that the specification sets. */
export const fieldTypes = [
  'text',
  'textarea',
  'number',
  'currency',
  'date',
  'datetime',
  'select',
  'multiselect',
  'boolean',
  'email',
  'phone',
  'url',
] as const;
export type FieldType = (typeof fieldTypes)[number];

export const searchableFieldTypes: readonly FieldType[] = [
  'text',
  'email',
  'phone',
  'url',
  'select',
  'multiselect',
];

/** How long the dashboard waits before it sends a reply, in seconds. */
export const undoSendChoices = [0, 5, 10, 20] as const;

export const channelTypes = [
  'api',
  'chatapp_byot',
  'chatapp_no',
  'chatapp',
  'web',
  'chatbot',
  'sms',
  'email',
] as const;
export type ChannelType = (typeof channelTypes)[number];

export const scopes = [
  'crm:read',
  'crm:write',
  'messages:read',
  'messages:write',
  'notes:write',
  'contacts:block',
  'knowledge:read',
  'knowledge:write',
  'manage',
] as const;
export type Scope = (typeof scopes)[number];
/** Whether a scope changes what everyone in the account works with: only administrators have the permissions behind it. */
export const isManagingScope = (scope: Scope): boolean => scope === 'manage' || scope === 'knowledge:write';
/** The default scopes of a token. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => !isManagingScope(scope));

export const roles = ['admin', 'operator'] as const;
export type Role = (typeof roles)[number];
/** For the dashboard. */
export const languages = ['en', 'pt', 'es'] as const;
export type LanguageName = (typeof languages)[number];

export const themes = ['light', 'dark', 'system'] as const;
export type ThemeName = (typeof themes)[number];

/** How a channel's conversations get an owner. */
export const assignmentModes = ['off', 'round_robin', 'least_busy'] as const;
export type AssignmentMode = (typeof assignmentModes)[number];
/** Set by the person; someone without a live connection gets nothing either way. */
export const availabilities = ['available', 'away'] as const;
export type Availability = (typeof availabilities)[number];

export const limits = {
  jsonBodyBytes: 1024 * 1024,
  /** Of a route without authentication, unless it needs more. */
  publicBodyBytes: 16 * 1024,
  nestingDepth: 32,
  titleLength: 1_000,
  nameLength: 255,
  roleDescription: 1_000,
  rolesPerAccount: 50,
  /** In a list of where an administrator or a token may call from. */
  addresses: 100,
  passkeysPerUser: 20,
  recoveryCodes: 10,
  descriptionLength: 10_000,
  textValueLength: 65_536,
  channelIdLength: 255,
  /** What an agent must never say. */
  blockedPatterns: 50,
  blockedPatternLength: 500,
  /** Why a version of an agent was published. */
  versionNote: 1_000,
  order: { min: -2_147_483_648, max: 2_147_483_647 },
  optionLength: 255,
  optionsPerField: 500,
  fieldsPerKanban: 200,
  statusesPerKanban: 100,
  assignedUsers: 100,
  teamMembers: 1_000,
  businessHours: 100,
  slaPolicies: 100,
  slaMinutes: 525_600,
  labels: 500,
  /** On one conversation or card. */
  labelsPerItem: 50,
  labelNameLength: 60,
  labelDescriptionLength: 500,
  /** How far the conversations and cards of a label are counted. */
  countedLabelled: 10_000,
  /** Open conversations that a user gets automatically. */
  capacity: { min: 0, max: 1_000, default: 20 },
  batchItems: 100,
  /** The maximum number of records that a text finds as a filter. */
  foundByText: 10_000,
  /** A row of an import may be as large as the body of a single create. */
  csvRowBytes: 1024 * 1024,
  /** In a CSV file before reading it is given up. */
  csvBrokenRows: 1_000,
  importFileBytes: 100 * 1024 * 1024,
  importColumns: 1_000,
  importPreviewRows: 100,
  importCheckedRows: 5_000,
  importKeptDays: 7,
  importsKept: 200,
  timeZoneLength: 64,
  messageLength: 65_536,
  /** Values of a template, and characters of each. */
  templateParameters: 100,
  templateParameterLength: 1_024,
  scheduledPerSession: 100,
  mentionsPerNote: 50,
  copilot: {
    /** Of what an operator has typed. */
    textLength: 10_000,
    questionLength: 2_000,
    /** That are translated in one request. */
    messages: 50,
    requestsPerMinute: 30,
  },
  macros: 500,
  /** `counted`: exactly; beyond it there are more. */
  inboxViews: { shared: 100, private: 50, counted: 999, filterLength: 32_768 },
  macroSteps: 20,
  /** Texts and field values of all steps of a macro together. */
  macroTextLength: 65_536,
  /** Of a macro's snooze: a year. */
  macroSnoozeMinutes: 525_600,
  taskTitleLength: 500,
  tasksPerRecord: 1_000,
  commentLength: 10_000,
  commentsPerRecord: 10_000,
  /** In ms: the end of the year 9999. */
  latestTime: 253_402_300_799_999,
  mailSubjectLength: 500,
  /** Of one header, such as Cc. */
  mailRecipients: 20,
  attachmentsPerMessage: 10,
  attachmentBytesPerMessage: 100 * 1024 * 1024,
  fileNameLength: 1_024,
  passwordLength: { min: 10, max: 1_024 },
  knowledgeSources: 200,
  /** Of a document that is written through the API. */
  articleLength: 200_000,
  articleImages: 200,
  knowledgeSearch: { default: 10, max: 50 },
  knowledgeGapExamples: 5,
  knowledgeUsageConversations: 50,
  knowledgeCollections: 500,
  /** How deep collections nest. */
  knowledgeCollectionLevels: 3,
  /** Of a help center. */
  helpSlugLength: { min: 3, max: 60 },
  /** That an account has used so far. */
  helpSlugs: 20,
  helpLanguages: 20,
  helpHomeLength: 5_000,
  helpRequestsPerMinute: 60,
  judgedQuestions: 500,
  judgedQuestion: { length: 1_000, documents: 50 },
  knowledgeVersionsKept: 20,
  website: {
    addresses: 20,
    addressLength: 2_048,
    prefixes: 50,
    headers: 20,
    headerLength: 4_096,
    pages: { default: 500, max: 5_000 },
    depth: { default: 5, max: 50 },
    runsKept: 20,
  },
  /** UTF-16 code units of a document that was not written here, such as a file. */
  knowledgeExtractedLength: 2_000_000,
  knowledgeFileBytes: 25 * 1024 * 1024,
  tools: {
    perAccount: 200,
    descriptionLength: 2_000,
    urlLength: 2_048,
    parameters: 20,
    /** Of the schema and of the body's template, as JSON. */
    schemaLength: 20_000,
    bodyLength: 65_536,
    headers: 20,
    headerLength: 4_096,
    pointerLength: 500,
    timeoutMs: { default: 10_000, max: 30_000 },
    resultBytes: 65_536,
    /** As people see them. */
    shownBytes: 4_096,
    perAgent: 50,
    callsPerMinute: 60,
    /** How long a call waits for approval. */
    approvalMs: 24 * 3_600_000,
  },
  agentTests: {
    /** Of an agent. */
    cases: 500,
    runsKept: 50,
    messages: 1_000,
    toolResults: 50,
    resultLength: 65_536,
    checks: 20,
    checkLength: 2_000,
    patternLength: 500,
    replays: 200,
    replayDays: 90,
  },
  automation: {
    /** Rules of an account, and how many of them may be enabled. */
    rules: 500,
    enabled: 200,
    /** Those of branches included. */
    steps: 30,
    /** Of `if` in `if`. */
    depth: 3,
    /** 365 days. */
    cooldownMinutes: 525_600,
    waitMinutes: 525_600,
    /** Of time triggers, before or after. */
    triggerMinutes: 525_600,
    cronLength: 100,
    /** The least time between two runs of a schedule. */
    cronMinutes: 15,
    /** What one run of a schedule goes over. */
    scheduled: 5_000,
    /** How many rules may follow from each other. */
    chain: 10,
    /** Of one rule for the same conversation or record. */
    runsPerHour: 30,
    /** Then the rule is switched off. */
    failuresInARow: 20,
    backtestDays: 90,
    backtestItems: 5_000,
    /** Of an account. */
    backtestsKept: 5,
    hookBytes: 65_536,
    hooksPerMinute: 60,
    /** Texts, fields and bodies of all steps of a rule. */
    textLength: 65_536,
    /** Of a call. */
    callTimeoutMs: 10_000,
    callBytes: 65_536,
    callTries: 3,
    callsPerMinute: 60,
    /** Of what is kept of a step's input and answer. */
    shownBytes: 4_096,
    verdictDays: 30,
    /** An AI reply waits this long for the rules of its message. */
    replyWaitMs: 5_000,
  },
  recordsPage: { default: 20, max: 100 },
  searchPage: { default: 20, max: 100 },
  listPage: { default: 50, max: 100 },
  suggestPage: { default: 10, max: 20 },
} as const;

const megabyte = 1024 * 1024;
const office = 'application/vnd.openxmlformats-officedocument';
/** Which types may be attached, and how large a file of each kind may be. */
export const attachmentKinds = {
  image: { maxBytes: 10 * megabyte, types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] },
  audio: {
    maxBytes: 25 * megabyte,
    types: ['mpeg', 'wav', 'x-wav', 'ogg', 'mp4', 'x-m4a', 'webm', 'aac', 'amr', 'opus'].map(
      (type) => `audio/${type}`,
    ),
  },
  video: { maxBytes: 50 * megabyte, types: ['video/mp4', 'video/webm', 'video/quicktime'] },
  document: {
    maxBytes: 25 * megabyte,
    types: [
      'application/pdf',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      `${office}.wordprocessingml.document`,
      `${office}.spreadsheetml.sheet`,
      `${office}.presentationml.presentation`,
      'text/plain',
      'text/csv',
    ],
  },
} as const;
/** Of files that are read as knowledge, by what they are read as. */
export const knowledgeFileTypes = {
  pdf: ['application/pdf'],
  docx: [`${office}.wordprocessingml.document`],
  html: ['text/html', 'application/xhtml+xml'],
  markdown: ['text/markdown', 'text/x-markdown'],
  csv: ['text/csv'],
  text: ['text/plain'],
} as const;
export type AttachmentKind = keyof typeof attachmentKinds;
export const uploadUrlMinutes = 15;
export const downloadUrlMinutes = 60;
export const unusedFileHours = 24;

/** For an administrator whose account was created without a name; the first steps ask for one. */
export const defaultAdminName = 'Administrator';
export const defaultAccountLimits = {
  crmPerMinute: 120,
  crmPerHour: 3_000,
  messagesPerMinute: 600,
  storageBytes: 20 * 1024 * megabyte,
  aiRepliesPerDay: 20_000,
  knowledgeDocuments: 50_000,
  knowledgeBytes: 200 * megabyte,
} as const;
/** Limits of a visitor of the chat widget. Days are UTC days. */
export const visitorLimits = {
  fileBytes: 10 * megabyte,
  bytesPerDay: 50 * megabyte,
  channelBytesPerDay: 1024 * megabyte,
  aiRepliesPerHour: 60,
} as const;
export const userRequestsPerMinute = 1_200;
export const managementRequestsPerMinute = 600;
