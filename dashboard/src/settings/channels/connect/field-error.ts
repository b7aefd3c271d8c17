/** An error about one field of a connector, mostly of the service: it is shown beside that field, by its label. */
import { useRef, useState } from 'react';
import { ApiError, ExplainedError } from '../../../data/errors.ts';
import { hasText, t } from '../../../texts/texts.ts';
import type { FieldName, FieldValues } from './connector-field.ts';
import type { Kind } from './connector-kinds.tsx';

export interface FieldError {
  name: FieldName;
  text: string;
}

/**
 * `run` throws what the form shows below its fields. The connection is checked before it is saved; if the provider refuses
 * it, the same values can be saved anyway. `saveAnyway` submits the form, whose `run` then does not check.
 */
export function useFieldError(kind: Kind, values: FieldValues) {
  const [fieldError, setFieldError] = useState<FieldError | null>(null);
  const [refused, setRefused] = useState<FieldValues | null>(null);
  const isAnyway = useRef(false);
  const run = async (submit: (check: boolean) => Promise<void>) => {
    const check = !isAnyway.current;
    setFieldError(null);
    setRefused(null);
    const fail = (found: FieldError): never => {
      setFieldError(found);
      throw new ExplainedError(t('connectors.fieldError', { field: t(`connectors.field.${found.name}`) }));
    };
    const wrong = wrongForm(kind, values);
    if (wrong) fail(wrong);
    try {
      await submit(check);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CONNECTION_REFUSED') {
        setRefused(values);
        throw new ExplainedError(t('connectors.refused', { reason: error.message }));
      }
      const found = fieldErrorOf(kind, error);
      if (!found) throw error;
      fail(found);
    }
  };
  return {
    fieldError,
    run,
    isRefused: refused === values,
    saveAnyway(form: HTMLFormElement | null) {
      isAnyway.current = true;
      form?.requestSubmit();
      isAnyway.current = false;
    },
  };
}

/** An empty field has no form: it is missing, or keeps what is stored. */
function wrongForm({ kind, fields }: Kind, values: FieldValues): FieldError | null {
  const field = fields.find(({ name, form }) => {
    const value = (values[name] ?? '').trim();
    return form !== undefined && value !== '' && !form.test(value);
  });
  if (!field) return null;
  const text = [t('connectors.problem.format'), hintOf(kind, field.name)].filter(Boolean).join(' ');
  return { name: field.name, text };
}

/** The service says `connector.credentials.imap.password must not be empty`. */
function fieldErrorOf({ fields }: Kind, error: unknown): FieldError | null {
  if (!(error instanceof ApiError) || error.status !== 400) return null;
  const [path = '', ...rest] = error.message.split(' ');
  if (!path.startsWith('connector.')) return null;
  const name = path.replace(/^connector\.(?:credentials\.)?/, '');
  const field = fields.find((one) => one.name === name);
  return field ? { name: field.name, text: problemOf(field.name, rest.join(' ')) } : null;
}

function problemOf(name: FieldName, problem: string): string {
  if (problem === 'has an invalid format') return t('connectors.problem.format');
  if (problem === 'is required' || problem === 'must not be empty') return t('connectors.problem.empty');
  if (problem.startsWith('is required, because')) return t('connectors.problem.again');
  return `${t(`connectors.field.${name}`)} ${problem}${problem.endsWith('.') ? '' : '.'}`;
}

export function hintOf(kind: Kind['kind'], name: FieldName): string | undefined {
  const key = `connectors.hint.${kind}.${name}`;
  return hasText(key) ? t(key as 'connectors.hint.telegram.botToken') : undefined;
}
