import { t } from '../../texts/texts.ts';
import { CopyButton } from '../../ui/controls/copy-field.tsx';

/** Preformatted request or response text. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="relative">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className="max-h-80 overflow-auto rounded-control border border-line bg-sunken"
      >
        <pre className="p-3 pr-10 font-mono text-sm break-words whitespace-pre-wrap">{text}</pre>
      </section>
      <div className="absolute top-1.5 right-1.5">
        <CopyButton value={text} label={t('ui.copy')} />
      </div>
    </div>
  );
}
