/** One check of a test case: its kind, and what it is about. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type AgentCheck, type CheckKind, checkKinds } from '../../../../../contract/agent-tests.ts';
import { languages, limits } from '../../../../../contract/limits.ts';
import { useMay } from '../../../data/session.ts';
import { documentsQuery } from '../../../knowledge/knowledge-data.ts';
import { languageName } from '../../../texts/language-name.ts';
import { t } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { Input } from '../../../ui/controls/input.tsx';
import { Select } from '../../../ui/controls/select.tsx';

/** As it is typed: each kind has one value, `calls_tool` also arguments as JSON. */
export interface EditedCheck {
  kind: CheckKind;
  value: string;
  more: string;
}

const propertyOf: Readonly<Record<CheckKind, Exclude<keyof AgentCheck, 'kind' | 'arguments'> | null>> = {
  contains: 'text',
  not_contains: 'text',
  matches: 'pattern',
  max_length: 'max',
  language: 'language',
  hands_over: null,
  does_not_hand_over: null,
  cites: 'documentId',
  calls_tool: 'name',
  does_not_call_tool: 'name',
  judge: 'instruction',
};

export function editedOf(check: AgentCheck): EditedCheck {
  const property = propertyOf[check.kind];
  return {
    kind: check.kind,
    value: property ? String(check[property] ?? '') : '',
    more: check.arguments ? JSON.stringify(check.arguments) : '',
  };
}

export function checkOf({ kind, value, more }: EditedCheck): AgentCheck {
  const property = propertyOf[kind];
  return {
    kind,
    ...(property && { [property]: kind === 'max_length' ? Number(value) : value }),
    ...(kind === 'calls_tool' && more.trim() && { arguments: JSON.parse(more) }),
  };
}

export function isWhole({ kind, value, more }: EditedCheck): boolean {
  if (propertyOf[kind] && value.trim() === '') return false;
  if (kind === 'max_length' && !(Number.isInteger(Number(value)) && Number(value) >= 1)) return false;
  return kind !== 'calls_tool' || isObject(more);
}

function isObject(json: string): boolean {
  if (json.trim() === '') return true;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export function CheckFields({
  number,
  check,
  onChange,
  onRemove,
}: {
  number: number;
  check: EditedCheck;
  onChange(check: EditedCheck): void;
  onRemove(): void;
}) {
  const { kind, more } = check;
  return (
    <div className="flex flex-wrap items-start gap-2 sm:flex-nowrap">
      <Select<CheckKind>
        className="w-48! shrink-0"
        label={t('agents.tests.kindOf', { number })}
        value={kind}
        options={checkKinds.map((value) => ({ value, label: t(`agents.tests.kind.${value}`) }))}
        onChange={(next) => onChange({ kind: next, value: '', more: '' })}
      />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        {propertyOf[kind] && <Value number={number} check={check} onChange={onChange} />}
        {kind === 'calls_tool' && (
          <Input
            className="font-mono text-sm"
            aria-label={t('agents.tests.arguments', { number })}
            aria-invalid={isObject(more) ? undefined : true}
            placeholder={t('agents.tests.argumentsHint')}
            value={more}
            onChange={(event) => onChange({ ...check, more: event.target.value })}
          />
        )}
      </div>
      <IconButton label={t('agents.tests.removeCheck', { number })} className="h-8! w-8!" onClick={onRemove}>
        <X className="size-3.5" />
      </IconButton>
    </div>
  );
}

function Value({
  number,
  check,
  onChange,
}: {
  number: number;
  check: EditedCheck;
  onChange(check: EditedCheck): void;
}) {
  const { kind, value } = check;
  const mayView = useMay('knowledge.view');
  const documents = useInfiniteQuery({
    ...documentsQuery({ state: 'published' }),
    enabled: kind === 'cites' && mayView,
  });
  const label = t('agents.tests.valueOf', { number });
  const put = (next: string) => onChange({ ...check, value: next });
  if (kind === 'language') {
    const options = languages.map((one) => ({ value: one, label: languageName(one) }));
    return (
      <Select<string>
        label={label}
        placeholder={t('agents.tests.choose')}
        value={value}
        options={options}
        onChange={put}
      />
    );
  }
  // Of more than a page a list is no help.
  if (kind === 'cites' && documents.data && !documents.hasNextPage) {
    const listed = documents.data.pages.flatMap(({ items }) => items);
    const options = listed.map(({ id, title }) => ({ value: id, label: title }));
    const isKnown = value === '' || options.some((one) => one.value === value);
    return (
      <Select<string>
        label={label}
        placeholder={t('agents.tests.choose')}
        value={value}
        options={isKnown ? options : [...options, { value, label: value }]}
        onChange={put}
      />
    );
  }
  return (
    <Input
      aria-label={label}
      className={kind === 'matches' ? 'font-mono text-sm' : undefined}
      placeholder={t(`agents.tests.hint.${hintOf(kind)}`)}
      type={kind === 'max_length' ? 'number' : 'text'}
      min={1}
      maxLength={kind === 'matches' ? limits.agentTests.patternLength : limits.agentTests.checkLength}
      value={value}
      onChange={(event) => put(event.target.value)}
    />
  );
}

function hintOf(kind: CheckKind): 'text' | 'pattern' | 'max' | 'document' | 'tool' | 'instruction' {
  if (kind === 'matches') return 'pattern';
  if (kind === 'max_length') return 'max';
  if (kind === 'cites') return 'document';
  if (kind === 'judge') return 'instruction';
  return kind === 'calls_tool' || kind === 'does_not_call_tool' ? 'tool' : 'text';
}
