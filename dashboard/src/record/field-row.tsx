/** A field of a card: its name, its value to edit, and what is to be known about the value. */
import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import type { KanbanField } from '../../../contract/crm/kanbans.ts';
import { FieldEditor } from '../fields/field-editor.tsx';
import { FieldIcon } from '../fields/field-icon.tsx';
import { fieldLabel } from '../fields/field-label.ts';
import { isEmptyValue, ReadOnlyValue } from '../fields/field-value.tsx';
import { t } from '../texts/texts.ts';
import { CopyButton } from '../ui/controls/copy-field.tsx';
import { Tooltip } from '../ui/overlays/tooltip.tsx';

export function FieldRow({
  field,
  value,
  isReadOnly,
  isUnverified,
  onCommit,
}: {
  field: KanbanField;
  value: unknown;
  isReadOnly: boolean;
  /** A visitor typed it. */
  isUnverified: boolean;
  onCommit(value: unknown): void;
}) {
  const isLink = field.type === 'url' || field.type === 'email' || field.type === 'phone';
  return (
    <Row icon={<FieldIcon type={field.type} />} name={fieldLabel(field)} hint={field.description}>
      {isReadOnly ? (
        <ReadOnlyValue field={field} value={value} />
      ) : (
        <FieldEditor field={field} label={fieldLabel(field)} value={value} onCommit={onCommit} />
      )}
      {isUnverified && (
        <p title={t('record.unverified.hint')} className="px-2 pb-1 text-sm text-warning">
          {t('record.unverified')}
        </p>
      )}
      {isLink && !isEmptyValue(value) && (
        <span className="absolute top-1 right-1 flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
          {field.type === 'url' && /^https?:/i.test(String(value)) && (
            <a
              href={String(value)}
              target="_blank"
              rel="noreferrer noopener"
              aria-label={t('record.openLink')}
              className="flex size-6 items-center justify-center rounded-control bg-surface text-muted hover:text-ink"
            >
              <ExternalLink className="size-3.5" />
            </a>
          )}
          <span className="bg-surface">
            <CopyButton value={String(value)} label={t('ui.copy')} />
          </span>
        </span>
      )}
    </Row>
  );
}

export function Row({
  icon,
  name,
  hint,
  children,
}: {
  icon: ReactNode;
  name: string;
  hint?: string;
  children: ReactNode;
}) {
  const label = (
    <span className="flex h-8 w-36 shrink-0 items-center gap-2 text-muted max-sm:w-28">
      <span className="text-faint">{icon}</span>
      <span title={name} className="truncate">
        {name}
      </span>
    </span>
  );
  return (
    <div className="flex items-start gap-2">
      {hint ? (
        <Tooltip text={hint} side="left">
          {label}
        </Tooltip>
      ) : (
        label
      )}
      <div className="group relative min-w-0 flex-1">{children}</div>
    </div>
  );
}
