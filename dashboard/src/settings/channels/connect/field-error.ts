/** An error of the service about one field of a connector: it is shown beside that field, by its label. */
import { useState } from 'react';
import { ApiError, ExplainedError } from '../../../data/errors.ts';
import { t } from '../../../texts/texts.ts';
import type { FieldName } from './connector-field.ts';
import type { Kind } from './connector-kinds.tsx';

export interface FieldError {
  name: FieldName;
  text: string;
}

/** `run` throws what the form shows below its fields. */
export function useFieldError(kind: Kind) {
  const [fieldError, setFieldError] = useState<FieldError | null>(null);
  const run = async (submit: () => Promise<void>) => {
    setFieldError(null);
    try {
      await submit();
    } catch (error) {
      const found = fieldErrorOf(kind, error);
      if (!found) throw error;
      setFieldError(found);
      throw new ExplainedError(t('connectors.fieldError', { field: t(`connectors.field.${found.name}`) }));
    }
  };
  return { fieldError, run };
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
  return `${t(`connectors.field.${name}`)} ${problem}${problem.endsWith('.') ? '' : '.'}`;
}
