/**
 * Writes board.html: the page, with the code of a board named in it. The browser then loads that code beside the code of
 * the shell, not after it has run.
 */
import type { Plugin, Rolldown } from 'vite';

const view = /\/board\/board-page\.tsx$/;

export function boardPage(): Plugin {
  return {
    name: 'board-page',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html'];
      const chunk = Object.values(bundle).find(
        (one): one is Rolldown.OutputChunk => one.type === 'chunk' && view.test(one.facadeModuleId ?? ''),
      );
      if (page?.type !== 'asset' || !chunk) throw new Error('the build has no page, or no view of a board');
      const html = String(page.source);
      const links = [...filesOf(chunk.fileName, bundle)]
        .filter((file) => !html.includes(file))
        .map(
          (file) => `  <link rel="modulepreload" crossorigin href="/app/${file}" nonce="__CSP_NONCE__">\n  `,
        );
      this.emitFile({
        type: 'asset',
        fileName: 'board.html',
        source: html.replace('</head>', `${links.join('')}</head>`),
      });
    },
  };
}

/** The file and everything that it imports. */
function filesOf(file: string, bundle: Rolldown.OutputBundle, found = new Set<string>()): Set<string> {
  const chunk = bundle[file];
  if (found.has(file) || chunk?.type !== 'chunk') return found;
  found.add(file);
  for (const next of chunk.imports) filesOf(next, bundle, found);
  return found;
}
