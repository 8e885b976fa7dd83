import { CLIENT_SETTINGS } from '../cli/client.ts';
import { fileName, flagName, type Setting, type Table, variableName } from '../config/settings.ts';
import { SETTINGS } from '../config.ts';
import { cell, table } from './markdown.ts';

/** The table of all settings of the server. A secret has no flag: all users of a machine see those. */
export const serverSettings = (): string =>
  settingsTable(
    SETTINGS,
    (key, setting, fallback) => [
      `\`${setting.secret === true ? variableName(key, setting) : flagName(key)}\``,
      `\`${fileName(key)}\``,
      cell(setting.kind.expects),
      fallback,
      cell(setting.about),
    ],
    ['flag, or variable where there is none', 'in the file', 'value', 'default', 'what it is'],
  );

/** The table of what the commands that talk to a server take. */
export const clientSettings = (): string =>
  settingsTable(
    CLIENT_SETTINGS,
    (key, setting, fallback) => [
      setting.secret ? '' : `\`${flagName(key)}\``,
      `\`${variableName(key, setting)}\``,
      fallback,
      cell(setting.about),
    ],
    ['flag', 'variable', 'default', 'what it is'],
  );

type Row = (key: string, setting: Setting<unknown>, fallback: string) => readonly string[];

function settingsTable(settings: Table, row: Row, head: readonly string[]): string {
  return table(
    head,
    Object.entries(settings).map(([key, setting]) => row(key, setting, shownDefault(key, setting))),
  );
}

/** The data folder's default depends on where the server is started, and is told in words. */
const shownDefault = (key: string, { fallback }: Setting<unknown>): string =>
  fallback === undefined || key === 'data' ? '' : `\`${String(fallback)}\``;
