/** Who may import whom. A message says where the code belongs instead. */
import type { Import, SourceFile } from './source.ts';

export type Rule = (file: SourceFile, project: readonly SourceFile[]) => string[];

/** In dependency order: a feature imports only from those above it. */
const featureOrder = [
  'accounts',
  'instance',
  'sign-in',
  'business-hours',
  'teams',
  'labels',
  'kanbans',
  'records',
  'tasks',
  'comments',
  'search',
  'imports',
  'attachments',
  'knowledge',
  'help-center',
  'tools',
  'channels',
  'pending-replies',
  'blocked-contacts',
  'sessions',
  'contacts',
  'messages',
  'message-search',
  'conditions',
  'service-levels',
  'connectors',
  'steps',
  'macros',
  'inbox-views',
  'ai-replies',
  'automations',
  'agent-tests',
  'dashboard-api',
  'copilot',
  'reports',
  'first-run',
  'privacy',
  'webhooks',
  'realtime',
  'widget-api',
];
/** They feed the search engine. */
const searchFeatures = ['search', 'message-search', 'knowledge'];
/** They consume events: no feature calls them. */
const listeners = ['webhooks', 'realtime'];
const isHttpPart = (path: string) => path.startsWith('server/platform/http/');
/** The addresses of the object store and of other nodes come from the operator's environment. */
const fetchParts = /^server\/platform\/(outbound\/[a-z-]+|blobs\/s3-client|nodes\/node-calls)\.ts$/;

export const isTest = (path: string) => /\.test\.tsx?$/.test(path) || path.startsWith('test/');
export const isTool = (path: string) => /^(scripts|bench)\//.test(path);
const featureOf = (path: string) => /^server\/features\/([^/]+)\//.exec(path)?.[1] ?? null;
const entryOf = (feature: string) => `server/features/${feature}/${feature}.ts`;
const ours = (file: SourceFile) => file.imports.filter((one) => one.isOurs);
const each = (imports: Import[], breach: (one: Import) => string | null) =>
  imports.flatMap((one) => breach(one) ?? []);

const contractAlone: Rule = (file) => {
  if (!file.path.startsWith('contract/')) return [];
  return each(ours(file), ({ target }) =>
    target.startsWith('contract/')
      ? null
      : `imports ${target}. contract/ is what clients see and imports nothing of ours: move what it needs into contract/.`,
  );
};

const platformKnowsNoFeature: Rule = (file) => {
  if (!file.path.startsWith('server/platform/') || isTest(file.path)) return [];
  return each(ours(file), ({ target, isTypeOnly }) => {
    if (/^(contract|server\/platform)\//.test(target)) return null;
    if (target === 'server/config.ts' && isTypeOnly) return null;
    return `imports ${target}. platform/ knows no feature: let the caller pass in what differs, as a function or a value.`;
  });
};

/** So that it can be read, tested and measured on its own. */
const searchEngineAlone: Rule = (file) => {
  if (!file.path.startsWith('server/search-engine/') || isTest(file.path)) return [];
  return each(file.imports, ({ target }) =>
    target.startsWith('server/search-engine/') || target.startsWith('node:')
      ? null
      : `imports ${target}. search-engine/ imports itself and node: only: let features/search pass in what it needs.`,
  );
};

const featuresInOrder: Rule = (file) => {
  const feature = featureOf(file.path);
  if (!feature || isTest(file.path)) return [];
  const place = featureOrder.indexOf(feature);
  if (place < 0)
    return [`the feature ${feature} has no place in featureOrder: add it where it depends on those above.`];
  return each(ours(file), ({ target, isTypeOnly }) => {
    if (/^(contract|server\/platform)\//.test(target)) return null;
    if (target.startsWith('server/search-engine/') && searchFeatures.includes(feature)) return null;
    if (target === 'server/context.ts' && isTypeOnly && file.path.endsWith('.routes.ts')) return null;
    const other = featureOf(target);
    if (other === feature) return null;
    if (!other) return `imports ${target}. A feature imports platform/, contract/ and other features only.`;
    if (listeners.includes(other)) {
      return `imports ${target}. No feature calls ${other}: emit an event instead.`;
    }
    if (featureOrder.indexOf(other) > place) {
      return `imports ${target}, but ${other} is below ${feature} in featureOrder. Declare an interface here and let ${other} implement it.`;
    }
    if (target !== entryOf(other)) {
      return `imports ${target}. Another feature is used through ${entryOf(other)} alone: export it there.`;
    }
    return null;
  });
};

const topOfServer: Rule = (file) => {
  if (!/^server\/[^/]+\.ts$/.test(file.path) || isTest(file.path)) return [];
  return each(ours(file), ({ target }) => {
    if (target === 'server/main.ts')
      return 'imports main.ts. It is where everything begins: nothing imports it.';
    if (target === 'server/app.ts' || target === 'server/worker.ts') {
      return file.path === 'server/serve.ts' ? null : `imports ${target}. Only serve.ts starts the roles.`;
    }
    const other = featureOf(target);
    if (!other || target === entryOf(other)) return null;
    if (target.endsWith('.routes.ts') && file.path === 'server/app.ts') return null;
    if (target.endsWith('.jobs.ts') && file.path === 'server/worker.ts') return null;
    if (target.endsWith('.metrics.ts') && file.path === 'server/metrics.ts') return null;
    return `imports ${target}. Routes are listed in app.ts, jobs in worker.ts, metrics in metrics.ts; all else goes through ${entryOf(other)}.`;
  });
};

const listenersOnlyListed: Rule = (file) => {
  if (isTest(file.path) || ['server/app.ts', 'server/worker.ts', 'server/metrics.ts'].includes(file.path))
    return [];
  const own = featureOf(file.path);
  if (own && !listeners.includes(own)) return [];
  return each(ours(file), ({ target }) => {
    const other = featureOf(target);
    return other && other !== own && listeners.includes(other)
      ? `imports ${target}. Only app.ts and worker.ts know ${other}; it consumes events.`
      : null;
  });
};

const edges = ['test', 'bench', 'scripts', 'cli', 'dashboard', 'widget'];

const nobodyImportsTools: Rule = (file) => {
  if (isTest(file.path) || isTool(file.path)) return [];
  const own = file.path.split('/')[0]!;
  return each(ours(file), ({ target }) => {
    const folder = target.split('/')[0]!;
    return folder !== own && edges.includes(folder)
      ? `imports ${target}. ${folder}/ is not part of the product: product code must not import it.`
      : null;
  });
};

const clientsSeeTheContract: Rule = (file) => {
  const own = /^(dashboard|widget)\//.exec(file.path)?.[1];
  if (!own || isTest(file.path)) return [];
  return each(ours(file), ({ target }) =>
    [own, 'contract', 'browser'].includes(target.split('/')[0]!)
      ? null
      : `imports ${target}. ${own}/ runs in a browser and knows contract/ and browser/ only.`,
  );
};

const browserAlone: Rule = (file) => {
  if (!file.path.startsWith('browser/') || isTest(file.path)) return [];
  return each(file.imports, ({ target, isOurs }) =>
    isOurs && /^(browser|contract)\//.test(target)
      ? null
      : `imports ${target}. browser/ is shared by the dashboard and the widget and imports contract/ at most: no framework, no package.`,
  );
};

const browserOnlyInBrowsers: Rule = (file) => {
  if (/^(browser|dashboard|widget)\//.test(file.path) || isTest(file.path)) return [];
  return each(ours(file), ({ target }) =>
    target.startsWith('browser/')
      ? `imports ${target}. browser/ is for code that runs in browsers: the dashboard and the widget.`
      : null,
  );
};

const commandsUseFeaturesFromOutside: Rule = (file) => {
  if (!file.path.startsWith('cli/') || isTest(file.path)) return [];
  return each(ours(file), ({ target }) => {
    const feature = featureOf(target);
    if (feature && target !== entryOf(feature)) {
      return `imports ${target}. A command uses the rules that ${entryOf(feature)} exports.`;
    }
    return /^server\/(main|app|worker)\.ts$/.test(target)
      ? `imports ${target}. A command works on the database, it does not start the service.`
      : null;
  });
};

const fastifyAtTheDoor: Rule = (file) => {
  if (!/^(server|cli)\//.test(file.path) || isTest(file.path)) return [];
  if (file.path.endsWith('.routes.ts') || file.path === 'server/app.ts' || isHttpPart(file.path)) return [];
  return each(file.imports, ({ target }) =>
    target === 'fastify' || target.startsWith('@fastify/')
      ? `imports ${target}. HTTP ends in *.routes.ts: hand plain values to the rules and return plain values.`
      : null,
  );
};

const schemasWithoutTheirLibrary: Rule = (file) => {
  if (!/^(contract|server|cli)\//.test(file.path) || isTest(file.path)) return [];
  return each(file.imports, ({ target, isTypeOnly }) =>
    target === 'typebox' && !isTypeOnly
      ? 'imports typebox. A start would wait for its 373 modules: build schemas with contract/shapes/type.ts and import types only.'
      : null,
  );
};

const sqlInItsFiles: Rule = (file) => {
  if (!/^(server|cli)\//.test(file.path) || isTest(file.path)) return [];
  if (file.path.startsWith('server/platform/') || file.path.endsWith('.sql.ts')) return [];
  return each(file.imports, ({ target, isTypeOnly }) => {
    if (target === 'server/platform/db/sql.ts' || (target === 'pg' && !isTypeOnly)) {
      return `imports ${target}. Queries belong in *.sql.ts, one function each, accountId as its second parameter.`;
    }
    return null;
  });
};

const outboundThroughSafeFetch: Rule = (file) => {
  if (!file.path.startsWith('server/') || isTest(file.path) || fetchParts.test(file.path)) return [];
  const advice =
    'Addresses that users configure are reached through platform/outbound/safe-fetch.ts, which checks where they lead.';
  const clients = each(file.imports, ({ target, isTypeOnly }) =>
    /^(undici|node:https?|node:net|node:tls|axios|got|node-fetch)$/.test(target) &&
    !isTypeOnly &&
    !usesNoClient(file, target)
      ? `imports ${target}. ${advice}`
      : null,
  );
  return /(?<![\w.])fetch\(/.test(withoutComments(file.text))
    ? [...clients, `calls fetch. ${advice}`]
    : clients;
};

/** The status phrases and the servers of node:http make no calls. */
function usesNoClient(file: SourceFile, target: string): boolean {
  const names = new RegExp(`import \\{([^}]*)\\} from '${target}'`).exec(file.text)?.[1]?.split(',') ?? ['*'];
  return names.every((name) => ['STATUS_CODES', 'createServer', ''].includes(name.trim()));
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

const mailsInTheirThread: Rule = (file) => {
  if (!file.path.startsWith('server/') || isTest(file.path)) return [];
  if (/\/email\.(?:parse|thread)\.ts$/.test(file.path)) return [];
  return /\bparse(?:Mail|Headers)\b/.test(withoutComments(file.text))
    ? [
        'parses a mail in the service. A mail can take minutes and all memory: ask mailReader (email.reader.ts).',
      ]
    : [];
};

export const importRules: Rule[] = [
  contractAlone,
  platformKnowsNoFeature,
  searchEngineAlone,
  featuresInOrder,
  topOfServer,
  listenersOnlyListed,
  nobodyImportsTools,
  clientsSeeTheContract,
  browserAlone,
  browserOnlyInBrowsers,
  commandsUseFeaturesFromOutside,
  fastifyAtTheDoor,
  schemasWithoutTheirLibrary,
  sqlInItsFiles,
  outboundThroughSafeFetch,
  mailsInTheirThread,
];
