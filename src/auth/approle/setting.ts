import { type Answer, type Data, noContent } from '../../framework/answer.ts';
import type { Context, WriteContext } from '../../framework/context.ts';
import type { Values } from '../../framework/endpoint.ts';
import type { OlderName } from '../../framework/older-terms.ts';
import { changeTerms, NOT_GIVEN, type tokenParams } from '../../framework/token-terms.ts';
import { findRole, knownRole, putRole, type Role, readRole } from './role.ts';

/** Handlers of the endpoints that are about one part of a role. */

interface Named {
  readonly role_name: string;
}

/** Shows a part; 404 where there is no such role. */
export const shows =
  (view: (role: Role) => Data) =>
  async ({ role_name }: Named, { store }: Pick<Context, 'store'>): Promise<Answer> => ({
    data: view(await readRole(store, role_name)),
  });

/** Changes a part; 404 where there is no such role, 400 where it would not do with the rest. */
export const changes =
  <V extends Named>(make: (values: V, role: Role) => Partial<Role>) =>
  async (values: V, context: Pick<WriteContext, 'store' | 'mac'>): Promise<Answer> => {
    const role = await knownRole(context.store, values.role_name);
    await putRole(context, values.role_name, role, { ...role, ...make(values, role) });
    return noContent;
  };

/** Puts a part back to what it is where nothing is said; 204 also where there is no such role. */
export const resets =
  (make: (role: Role) => Partial<Role>) =>
  async ({ role_name }: Named, context: Pick<WriteContext, 'store' | 'mac'>): Promise<Answer> => {
    const role = await findRole(context.store, role_name);
    if (role !== undefined) await putRole(context, role_name, role, { ...role, ...make(role) });
    return noContent;
  };

/** The terms of a role with some of them changed. */
export const withTerms = (role: Role, given: Partial<Values<typeof tokenParams>>): Pick<Role, 'terms'> => ({
  terms: changeTerms(role.terms, { ...NOT_GIVEN, ...given }),
});

/** Whether a parameter is shown under its older name too from now on. */
export const olderNamed = ({ older }: Role, name: OlderName, shown: boolean): Pick<Role, 'older'> => ({
  older: [...older.filter((other) => other !== name), ...(shown ? [name] : [])],
});
