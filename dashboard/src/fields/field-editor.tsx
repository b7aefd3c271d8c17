/** Edits one value by its type. Blur and Enter commit, Escape reverts. */
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { controlClass } from '../ui/controls/input.tsx';
import { Picker } from '../ui/controls/picker.tsx';
import { Select } from '../ui/controls/select.tsx';
import { Dot } from '../ui/display/badge.tsx';
import { hueOfOption } from '../ui/hues.ts';
import { bareClass, type FieldEditorProps } from './field-editor-props.ts';
import { fieldLabel } from './field-label.ts';
import { FieldValue, isEmptyValue } from './field-value.tsx';
import { LongTextEditor, TextEditor } from './text-editors.tsx';

export function FieldEditor(props: FieldEditorProps) {
  switch (props.field.type) {
    case 'select':
    case 'multiselect':
      return <OptionsEditor {...props} />;
    case 'boolean':
      return <BooleanEditor {...props} />;
    case 'textarea':
      return <LongTextEditor {...props} />;
    default:
      return <TextEditor {...props} />;
  }
}

function OptionsEditor({ field, value, onCommit, framed, id, label }: FieldEditorProps) {
  const several = field.type === 'multiselect';
  const chosen = isEmptyValue(value) ? [] : several ? (value as string[]) : [String(value)];
  // A value whose option was removed is kept.
  const all = [...new Set([...(field.options ?? []), ...chosen])];
  return (
    <Picker
      label={label ?? fieldLabel(field)}
      several={several}
      chosen={chosen}
      onChange={(next) => onCommit(next.length === 0 ? null : several ? next : next[0])}
      options={all.map((option) => ({
        value: option,
        label: option,
        mark: <Dot color={`var(--hue-${hueOfOption(option, field.options)})`} />,
      }))}
      trigger={
        <button
          type="button"
          id={id}
          className={cx(framed ? controlClass : bareClass, 'flex min-h-8 items-center py-1 text-left')}
        >
          <span className="sr-only">{label ?? fieldLabel(field)}</span>
          {chosen.length > 0 ? (
            <FieldValue field={field} value={value} />
          ) : (
            <span className="text-faint">{framed ? t('fields.choose') : t('fields.empty')}</span>
          )}
        </button>
      }
    />
  );
}

function BooleanEditor({ value, onCommit, framed, id, label, field }: FieldEditorProps) {
  const none = 'none';
  return (
    <Select
      id={id}
      label={label ?? fieldLabel(field)}
      value={value === true ? 'yes' : value === false ? 'no' : none}
      onChange={(next) => onCommit(next === none ? null : next === 'yes')}
      options={[
        { value: none, label: t('fields.empty') },
        { value: 'yes', label: t('fields.yes') },
        { value: 'no', label: t('fields.no') },
      ]}
      className={
        framed
          ? ''
          : cx(
              'border-transparent! bg-transparent! px-2! hover:bg-hover! [&>svg]:opacity-0 hover:[&>svg]:opacity-100',
              typeof value !== 'boolean' && 'text-faint!',
            )
      }
    />
  );
}
