/** The fields of an HTTP tool. */
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import {
  type ParameterRow,
  type ParameterType,
  parameterTypes,
  schemaOf,
  type ToolForm,
} from './tool-form-values.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** As they are typed. */
const serviceValues = {
  argument: '{argument}',
  values: '{{customer.id}}, {{customer.name}}, {{card.fieldId}}',
};
const code = { mono: true, spellCheck: false } as const;

export function ToolFields({ form, onChange }: { form: ToolForm; onChange(form: ToolForm): void }) {
  const mayAddress = useMay('webhooks.manage');
  const put = (part: Partial<ToolForm>) => onChange({ ...form, ...part });
  const bind = <
    Name extends 'name' | 'description' | 'url' | 'headers' | 'body' | 'resultPath' | 'timeoutSeconds',
  >(
    name: Name,
  ) => ({ value: form[name], onChange: (value: string) => put({ [name]: value }) });
  return (
    <>
      <TextField
        label={t('tools.name')}
        hint={t('tools.nameHint')}
        {...code}
        maxLength={64}
        {...bind('name')}
      />
      <TextField
        label={t('tools.description')}
        hint={t('tools.descriptionHint')}
        lines={{ min: 2, max: 10 }}
        maxLength={limits.tools.descriptionLength}
        {...bind('description')}
      />
      <KindAndApproval value={form} onChange={(kind, approval) => put({ kind, approval })} />
      <div className="grid gap-4 sm:grid-cols-[8rem_1fr]">
        <Field label={t('tools.method')}>
          {(ids) => (
            <Select
              {...ids}
              value={form.method}
              options={methods.map((value) => ({ value, label: value }))}
              onChange={(method) => put({ method })}
            />
          )}
        </Field>
        <TextField
          label={t('tools.url')}
          hint={mayAddress ? t('tools.urlHint', serviceValues) : t('settings.addressRight')}
          disabled={!mayAddress}
          placeholder="https://shop.example.com/orders/{orderId}"
          maxLength={limits.tools.urlLength}
          {...code}
          {...bind('url')}
        />
      </div>
      <Parameters form={form} put={put} />
      <details className="rounded-panel border border-line">
        <summary className="cursor-pointer rounded-panel px-3 py-2 font-medium hover:bg-hover">
          {t('tools.more')}
        </summary>
        <div className="flex flex-col gap-4 border-t border-line p-3">
          <TextField
            label={t('tools.headers')}
            hint={t('tools.headersHint')}
            lines={{ min: 1, max: 6 }}
            {...code}
            {...bind('headers')}
          />
          {form.method !== 'GET' && (
            <TextField
              label={t('tools.body')}
              hint={t('tools.bodyHint', { argument: '{argument}' })}
              lines={{ min: 2, max: 12 }}
              {...code}
              {...bind('body')}
            />
          )}
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={t('tools.resultPath')}
              hint={t('tools.resultPathHint')}
              {...code}
              {...bind('resultPath')}
            />
            <TextField
              label={t('tools.timeout')}
              hint={t('tools.timeoutHint')}
              type="number"
              min={0.1}
              max={limits.tools.timeoutMs.max / 1_000}
              step="any"
              {...bind('timeoutSeconds')}
            />
          </div>
        </div>
      </details>
    </>
  );
}

type KindValue = Pick<ToolForm, 'kind' | 'approval'>;

/** Also of a tool of an MCP server. */
export function KindAndApproval({
  value: { kind, approval },
  onChange,
}: {
  value: KindValue;
  onChange(kind: KindValue['kind'], approval: KindValue['approval']): void;
}) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('tools.kind')} hint={t(`tools.kindHint.${kind}`)}>
        {(ids) => (
          <Select
            {...ids}
            value={kind}
            options={(['read', 'write'] as const).map((value) => ({
              value,
              label: t(`tools.kind.${value}`),
            }))}
            onChange={(next) => onChange(next, next === 'write' ? 'always' : 'never')}
          />
        )}
      </Field>
      {kind === 'write' && (
        <Field label={t('tools.approval')} hint={t(`tools.approvalHint.${approval}`)}>
          {(ids) => (
            <Select
              {...ids}
              value={approval}
              options={(['always', 'never'] as const).map((value) => ({
                value,
                label: t(`tools.approval.${value}`),
              }))}
              onChange={(next) => onChange(kind, next)}
            />
          )}
        </Field>
      )}
    </div>
  );
}

function Parameters({ form, put }: { form: ToolForm; put(part: Partial<ToolForm>): void }) {
  const { rows } = form;
  if (rows === null) {
    return (
      <TextField
        label={t('tools.parameters')}
        hint={t('tools.schemaHint')}
        lines={{ min: 6, max: 24 }}
        {...code}
        value={form.schema}
        onChange={(schema) => put({ schema })}
      />
    );
  }
  const set = (next: ParameterRow[]) => put({ rows: next });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{t('tools.parameters')}</legend>
      <p className="text-sm text-muted">{t('tools.parametersHint')}</p>
      {rows.map((row, index) => (
        <ParameterFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its place
          key={index}
          row={row}
          place={index + 1}
          onChange={(changed) => set(rows.with(index, changed))}
          onRemove={() => set(rows.toSpliced(index, 1))}
        />
      ))}
      <span className="flex flex-wrap gap-2">
        <Button
          icon={<Plus className="size-3.5" />}
          disabled={rows.length >= limits.tools.parameters}
          onClick={() => set([...rows, { name: '', type: 'string', description: '', isRequired: true }])}
        >
          {t('tools.addParameter')}
        </Button>
        <Button
          tone="quiet"
          onClick={() => put({ rows: null, schema: JSON.stringify(schemaOf(rows), null, 2) })}
        >
          {t('tools.asJson')}
        </Button>
      </span>
    </fieldset>
  );
}

interface ParameterProps {
  row: ParameterRow;
  place: number;
  onChange(row: ParameterRow): void;
  onRemove(): void;
}

function ParameterFields({ row, place, onChange, onRemove }: ParameterProps) {
  // A new row is where one goes on typing.
  const [isNew] = useState(row.name === '');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend would be shown
    <div
      role="group"
      aria-label={t('tools.parameter', { place })}
      className="grid grid-cols-2 items-center gap-2 rounded-panel border border-line p-2 sm:grid-cols-[1fr_9rem_auto_auto]"
    >
      <Input
        className="h-8 font-mono text-sm"
        aria-label={t('tools.parameterName')}
        placeholder={t('tools.parameterName')}
        autoFocus={isNew}
        value={row.name}
        maxLength={64}
        onChange={(event) => onChange({ ...row, name: event.target.value })}
      />
      <Select<ParameterType>
        label={t('tools.parameterType')}
        value={row.type}
        options={parameterTypes.map((value) => ({ value, label: t(`tools.type.${value}`) }))}
        onChange={(type) => onChange({ ...row, type })}
      />
      <Checkbox
        label={t('tools.required')}
        showLabel
        checked={row.isRequired}
        onChange={(isRequired) => onChange({ ...row, isRequired })}
      />
      <IconButton
        className="justify-self-end"
        label={t('tools.removeParameter')}
        tone="quiet"
        onClick={onRemove}
      >
        <Trash2 className="size-3.5" />
      </IconButton>
      <Input
        className="col-span-full h-8"
        aria-label={t('tools.parameterText')}
        placeholder={t('tools.parameterText')}
        value={row.description}
        onChange={(event) => onChange({ ...row, description: event.target.value })}
      />
    </div>
  );
}
