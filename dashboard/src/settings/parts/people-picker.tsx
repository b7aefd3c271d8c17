import { useUsers } from '../../data/queries.ts';
import { Avatar } from '../../ui/display/avatar.tsx';
import { ChipPicker } from './choices.tsx';

export function PeoplePicker({
  label,
  none,
  chosen,
  onChange,
}: {
  label: string;
  /** What it means that nobody is chosen. */
  none: string;
  chosen: readonly string[];
  onChange(ids: string[]): void;
}) {
  const users = useUsers();
  return (
    <ChipPicker
      label={label}
      none={none}
      options={users.map(({ id, name }) => ({
        value: id,
        label: name,
        mark: <Avatar id={id} name={name} tip={false} />,
      }))}
      chosen={chosen}
      onChange={onChange}
    />
  );
}
