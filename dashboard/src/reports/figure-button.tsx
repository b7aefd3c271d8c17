import { number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import type { Behind, ReportWithConversations } from './report-data.ts';

/** Null: the reader may not see conversations. */
export type OpenFigure<Name extends ReportWithConversations> = ((behind: Behind[Name]) => void) | null;

/** A number that opens what it counts. Nothing to open: the number alone. */
export function FigureButton({
  value,
  text = number(value),
  label,
  onOpen,
}: {
  value: number;
  text?: string | undefined;
  label: string;
  onOpen: ((label: string) => void) | null;
}) {
  if (value === 0 || !onOpen) return text;
  return (
    <button
      type="button"
      aria-label={t('reports.ai.open', { value: text, name: label })}
      onClick={() => onOpen(label)}
      className="tabular rounded-control underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {text}
    </button>
  );
}
