/* FMI 2.0, model exchange and co-simulation: unit.h under its names. */
#include "unit.h"

typedef int Integer;
typedef int Boolean;
typedef char Char;
typedef const Char *String;
typedef char Byte;
typedef unsigned int Reference;
typedef void *Component;
typedef void *Saved;
typedef enum { OK, WARNING, DISCARD, ERROR_, FATAL, PENDING } Status;
typedef enum { MODEL_EXCHANGE, CO_SIMULATION } Kind;
typedef struct {
    void (*logger)(void *, String, Status, String, String, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*step_finished)(void *, Status);
    void *environment;
} Callbacks;
typedef struct {
    Boolean new_discrete_states_needed, terminate_simulation;
    Boolean nominals_changed, values_changed, next_event_time_defined;
    Real next_event_time;
} EventInfo;

/* ------------------------------------------------------------------ life of a unit */

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT Status fmi2SetDebugLogging(Component c, Boolean on, size_t n, const String s[]) {
    (void)c, (void)on, (void)n, (void)s;
    return OK;
}
EXPORT Component fmi2Instantiate(String name, Kind kind, String guid, String folder,
                                 const Callbacks *callbacks, Boolean visible, Boolean on) {
    (void)name, (void)kind, (void)folder, (void)callbacks, (void)visible, (void)on;
    if (guid == NULL || strcmp(guid, GUID) != 0) return NULL;
    Model *m = malloc(sizeof *m);
    if (m != NULL) restart(m);
    return m;
}
EXPORT void fmi2FreeInstance(Component c) { free(c); }
EXPORT Status fmi2SetupExperiment(Component c, Boolean has_tolerance, Real tolerance,
                                  Real start, Boolean has_stop, Real stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((Model *)c)->t = start;
    return OK;
}
EXPORT Status fmi2EnterInitializationMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2ExitInitializationMode(Component c) {
    Model *m = c;
    settle(m);
    look(m, m->t, m->x, m->g);
    return OK;
}
EXPORT Status fmi2Terminate(Component c) { (void)c; return OK; }
EXPORT Status fmi2Reset(Component c) { restart(c); return OK; }

/* ------------------------------------------------------------------------ variables */

EXPORT Status fmi2GetReal(Component c, const Reference r[], size_t n, Real value[]) {
    return get_values(c, r, n, value) ? OK : ERROR_;
}
EXPORT Status fmi2SetReal(Component c, const Reference r[], size_t n, const Real value[]) {
    return set_values(c, r, n, value) ? OK : ERROR_;
}
#define NO_VARIABLES(NAME, TYPE) \
    EXPORT Status fmi2Get##NAME(Component c, const Reference r[], size_t n, TYPE v[]) { \
        (void)c, (void)r, (void)v; \
        return n ? ERROR_ : OK; \
    } \
    EXPORT Status fmi2Set##NAME(Component c, const Reference r[], size_t n, \
                                const TYPE v[]) { \
        (void)c, (void)r, (void)v; \
        return n ? ERROR_ : OK; \
    }
NO_VARIABLES(Integer, Integer)
NO_VARIABLES(Boolean, Boolean)
NO_VARIABLES(String, String)

/* ------------------------------------------------------------------- saved instants */

EXPORT Status fmi2GetFMUstate(Component c, Saved *s) {
    return save(c, s) ? OK : ERROR_;
}
EXPORT Status fmi2SetFMUstate(Component c, Saved s) {
    memcpy(c, s, sizeof(Model));
    return OK;
}
EXPORT Status fmi2FreeFMUstate(Component c, Saved *s) {
    (void)c, forget(s);
    return OK;
}
EXPORT Status fmi2SerializedFMUstateSize(Component c, Saved s, size_t *size) {
    (void)c, (void)s, *size = sizeof(Model);
    return OK;
}
EXPORT Status fmi2SerializeFMUstate(Component c, Saved s, Byte bytes[], size_t size) {
    (void)c;
    return write_bytes(s, bytes, size) ? OK : ERROR_;
}
EXPORT Status fmi2DeSerializeFMUstate(Component c, const Byte bytes[], size_t size,
                                      Saved *s) {
    (void)c;
    return read_bytes(bytes, size, s) ? OK : ERROR_;
}
EXPORT Status fmi2GetDirectionalDerivative(Component c, const Reference u[], size_t n,
                                           const Reference k[], size_t m, const Real d[],
                                           Real out[]) {
    (void)c, (void)u, (void)n, (void)k, (void)m, (void)d, (void)out;
    return ERROR_;
}

/* ------------------------------------------------------------------- model exchange */

EXPORT Status fmi2EnterEventMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2NewDiscreteStates(Component c, EventInfo *info) {
    memset(info, 0, sizeof *info);
    info->values_changed = update(c, &info->terminate_simulation);
    return OK;
}
EXPORT Status fmi2EnterContinuousTimeMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2CompletedIntegratorStep(Component c, Boolean no_set_state,
                                          Boolean *enter_event_mode, Boolean *terminate) {
    (void)no_set_state;
    *enter_event_mode = step_completed(c);
    *terminate = 0;
    return OK;
}
EXPORT Status fmi2SetTime(Component c, Real t) {
    ((Model *)c)->t = t;
    return OK;
}
EXPORT Status fmi2SetContinuousStates(Component c, const Real x[], size_t n) {
    if (n != NX) return ERROR_;
    memcpy(((Model *)c)->x, x, n * sizeof(Real));
    return OK;
}
EXPORT Status fmi2GetContinuousStates(Component c, Real x[], size_t n) {
    if (n != NX) return ERROR_;
    memcpy(x, ((Model *)c)->x, n * sizeof(Real));
    return OK;
}
EXPORT Status fmi2GetDerivatives(Component c, Real rates[], size_t n) {
    Model *m = c;
    if (n != NX) return ERROR_;
    MODEL(rates)(&m->t, m->x, m->u, m->p, rates);
    return is_number(rates, NX) ? OK : DISCARD;
}
EXPORT Status fmi2GetEventIndicators(Component c, Real g[], size_t n) {
    Model *m = c;
    if (n != NE) return ERROR_;
    look(m, m->t, m->x, g);
    return OK;
}
EXPORT Status fmi2GetNominalsOfContinuousStates(Component c, Real x[], size_t n) {
    (void)c;
    for (size_t k = 0; k < n; ++k) x[k] = 1;
    return OK;
}

/* -------------------------------------------------------------------- co-simulation */

EXPORT Status fmi2DoStep(Component c, Real t, Real h, Boolean no_set_state) {
    (void)no_set_state;
    return advance_to(c, t, h) == ARRIVED ? OK : DISCARD;
}
EXPORT Status fmi2SetRealInputDerivatives(Component c, const Reference r[], size_t n,
                                          const Integer o[], const Real v[]) {
    (void)c, (void)r, (void)n, (void)o, (void)v;
    return ERROR_;
}
EXPORT Status fmi2GetRealOutputDerivatives(Component c, const Reference r[], size_t n,
                                           const Integer o[], Real v[]) {
    (void)c, (void)r, (void)n, (void)o, (void)v;
    return ERROR_;
}
EXPORT Status fmi2CancelStep(Component c) { (void)c; return ERROR_; }
#define NO_STATUS(NAME, TYPE) \
    EXPORT Status fmi2Get##NAME##Status(Component c, int kind, TYPE *value) { \
        (void)c, (void)kind, (void)value; \
        return DISCARD; \
    }
NO_STATUS(, Status)
NO_STATUS(Real, Real)
NO_STATUS(Integer, Integer)
NO_STATUS(Boolean, Boolean)
NO_STATUS(String, String)
