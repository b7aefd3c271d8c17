const aiFigures = {
  replies: 40,
  resolved: 20,
  alone: 14,
  handedOver: 3,
  held: 2,
  released: 1,
  failed: 0,
  cost: 0.42,
  unpriced: 0,
};

/** Examples of each report for the API reference. */
export const reportExamples = {
  recordsByStatus: {
    period: { from: 1790000000000, to: 1790172800000, bucket: 'day', timeZone: 'Etc/UTC' },
    kanbanId: '0199…',
    statuses: [
      { status: 'new', label: 'New', color: '#5059d1', present: true },
      { status: 'won', label: 'Won', color: '#2f9e44', present: true },
    ],
    atStart: [12, 3],
    buckets: [
      { from: 1790000000000, to: 1790035200000, counts: [14, 3] },
      { from: 1790035200000, to: 1790121600000, counts: [11, 7] },
      { from: 1790121600000, to: 1790172800000, counts: [11, 8] },
    ],
  },
  statusConversion: {
    period: { from: 1790000000000, to: 1792000000000, bucket: 'day', timeZone: 'Etc/UTC' },
    kanbanId: '0199…',
    statuses: [
      {
        status: 'new',
        label: 'New',
        color: '#5059d1',
        present: true,
        atStart: 12,
        created: 40,
        entered: 1,
        left: 30,
        deleted: 2,
        atEnd: 21,
        medianMs: 5400000,
      },
    ],
    transitions: [{ from: 'new', to: 'contacted', count: 25, share: 0.833, medianMs: 3600000 }],
  },
  newConversations: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    channels: [{ channelId: '0199…', name: 'Website', type: 'web', total: 7 }],
    total: 7,
    buckets: [{ from: 1790000000000, to: 1790035200000, counts: [7] }],
  },
  firstResponse: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    total: {
      conversations: 9,
      unanswered: 1,
      all: { count: 8, medianMs: 2100, p90Ms: 640000 },
      ai: { count: 6, medianMs: 1900, p90Ms: 3000 },
      human: { count: 2, medianMs: 420000, p90Ms: 640000 },
    },
    buckets: [
      {
        from: 1790000000000,
        to: 1790035200000,
        conversations: 9,
        unanswered: 1,
        all: { count: 8, medianMs: 2100, p90Ms: 640000 },
        ai: { count: 6, medianMs: 1900, p90Ms: 3000 },
        human: { count: 2, medianMs: 420000, p90Ms: 640000 },
      },
    ],
  },
  resolutions: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    total: {
      resolved: 20,
      medianMs: 5400000,
      p90Ms: 86400000,
      reopened: 3,
      reopenedByCustomer: 2,
      reopenRate: 0.15,
    },
    buckets: [
      {
        from: 1790000000000,
        to: 1790035200000,
        resolved: 20,
        medianMs: 5400000,
        p90Ms: 86400000,
        reopened: 3,
        reopenedByCustomer: 2,
        reopenRate: 0.15,
      },
    ],
  },
  serviceLevels: {
    period: { from: 1_789_000_000_000, to: 1_789_604_800_000, bucket: 'week', timeZone: 'UTC' },
    total: { met: 40, breached: 2 },
    kinds: [{ kind: 'first_response', met: 40, breached: 2 }],
    policies: [{ policyId: '01993b2e-7c00-7000-8000-0000000000f1', name: 'Standard', met: 40, breached: 2 }],
    teams: [{ teamId: null, name: null, met: 40, breached: 2 }],
    people: [{ userId: '01993b2e-7c00-7000-8000-0000000000b1', name: 'Grace', met: 40, breached: 2 }],
    channels: [
      { channelId: '01993b2e-7c00-7000-8000-0000000000d1', name: 'Shop', type: 'api', met: 40, breached: 2 },
    ],
    buckets: [{ from: 1_789_000_000_000, to: 1_789_604_800_000, met: 40, breached: 2 }],
  },
  satisfaction: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    total: { count: 12, average: 4.25, distribution: [0, 1, 1, 4, 6] },
    operators: [
      {
        userId: '0190d3f2-8a44-7b55-9e33-2f6a8f1d4c70',
        name: 'Grace Hopper',
        count: 12,
        average: 4.25,
        distribution: [0, 1, 1, 4, 6],
      },
    ],
    channels: [
      {
        channelId: '0190d3f2-8a44-7b55-9e33-2f6a8f1d4c71',
        name: 'Website',
        type: 'web',
        count: 12,
        average: 4.25,
        distribution: [0, 1, 1, 4, 6],
      },
    ],
    buckets: [
      {
        from: 1790000000000,
        to: 1790035200000,
        count: 12,
        average: 4.25,
        distribution: [0, 1, 1, 4, 6],
      },
    ],
  },
  answers: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    total: { ai: 40, human: 12 },
    buckets: [{ from: 1790000000000, to: 1790035200000, ai: 40, human: 12 }],
  },
  handovers: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    total: { byAi: 3, byPeople: 2, resumed: 4, suppressed: 2, held: 0, failed: 1 },
    reasons: [{ reason: 'AI paused', count: 2 }],
    buckets: [
      {
        from: 1790000000000,
        to: 1790035200000,
        byAi: 3,
        byPeople: 2,
        resumed: 4,
        suppressed: 2,
        held: 0,
        failed: 1,
      },
    ],
  },
  ai: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    total: aiFigures,
    handovers: [{ reason: 'requested', count: 3 }],
    ratings: { withAi: { count: 8, average: 4.5 }, withoutAi: { count: 4, average: 4.25 } },
    agents: [
      {
        agentId: '0199…',
        name: 'Mia',
        ...aiFigures,
        versions: [{ version: 3, ...aiFigures }],
      },
    ],
    channels: [{ channelId: '0199…', name: 'Shop chat', type: 'web', ...aiFigures }],
    buckets: [{ from: 1790000000000, to: 1790035200000, ...aiFigures }],
  },
  copilot: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    total: { suggested: 20, accepted: 9, edited: 6, discarded: 3 },
    users: [{ userId: '0199…', name: 'Ana', suggested: 20, accepted: 9, edited: 6, discarded: 3 }],
    buckets: [
      { from: 1790000000000, to: 1790035200000, suggested: 20, accepted: 9, edited: 6, discarded: 3 },
    ],
  },
  messagesPerHour: {
    period: { from: 1790000000000, to: 1790003600000, bucket: 'hour', timeZone: 'Etc/UTC' },
    total: { customer: 5, ai: 4, human: 1, echo: 0 },
    cells: [{ weekday: 1, hour: 14, hours: 0.5, customer: 5, ai: 4, human: 1, echo: 0 }],
    buckets: [
      { from: 1790000000000, to: 1790002800000, customer: 5, ai: 4, human: 1, echo: 0 },
      { from: 1790002800000, to: 1790003600000, customer: 0, ai: 0, human: 0, echo: 0 },
    ],
  },
  webhooks: {
    period: { from: 1790000000000, to: 1790035200000, bucket: 'day', timeZone: 'Etc/UTC' },
    keptSince: 1787408000000,
    total: {
      deliveries: 10,
      delivered: 9,
      firstAttempt: 8,
      retried: 2,
      exhausted: 1,
      open: 0,
      attempts: 17,
      p50Ms: 35,
      p95Ms: 120,
    },
    endpoints: [],
    buckets: [],
  },
};
