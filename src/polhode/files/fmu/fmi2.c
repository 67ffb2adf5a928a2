/* FMI 2.0, model exchange and co-simulation, over the functions of a system.
 *
 * The numbers of states, inputs, parameters, outputs and events, first values and the
 * length of a step are in model.h, beside the functions of the system themselves.
 * Value references: 0 time; then states, their rates, inputs, parameters, outputs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#define AT_LEAST_ONE(n) ((n) > 0 ? (n) : 1)

typedef double Real;
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

typedef struct {
    Real t, x[NX], u[AT_LEAST_ONE(NU)], p[AT_LEAST_ONE(NP)];
    Real g[AT_LEAST_ONE(NE)]; /* the events' functions after the last event */
    int is_settling; /* whether the integrator's states are to be put on their manifold */
} Model;

static void restart(Model *m) {
    static const Real x[] = FIRST_X, u[] = FIRST_U, p[] = FIRST_P;
    memset(m, 0, sizeof *m);
    memcpy(m->x, x, sizeof m->x);
    memcpy(m->u, u, NU * sizeof(Real));
    memcpy(m->p, p, NP * sizeof(Real));
}

static int is_number(const Real *x, int n) {
    for (int k = 0; k < n; ++k)
        if (!isfinite(x[k])) return 0;
    return 1;
}

static void settle(Model *m) {
    Real x[NX];
    MODEL(settled)(&m->t, m->x, m->u, m->p, x);
    if (is_number(x, NX)) memcpy(m->x, x, sizeof x);
}

/* ------------------------------------------------------------------------- events */

static void look(const Model *m, Real t, const Real *x, Real *g) {
    (void)m, (void)t, (void)x, (void)g;
#if NE > 0
    MODEL(indicators)(&t, x, m->u, m->p, g);
#endif
}

/* The first event whose function passed zero in its direction, or -1. */
static int passed(const Real *before, const Real *after) {
    (void)before, (void)after;
#if NE > 0
    static const int directions[] = DIRECTIONS;
    for (int k = 0; k < NE; ++k) {
        int rises = before[k] < 0 && after[k] >= 0, falls = before[k] > 0 && after[k] <= 0;
        if ((rises && directions[k] >= 0) || (falls && directions[k] <= 0)) return k;
    }
#endif
    return -1;
}

/* What follows an event; whether the run ends there. */
static int happen(Model *m, int k) {
    int ends = 0;
    (void)k;
#if NE > 0
    static const int is_terminal[] = TERMINAL;
    Real which = k, x[NX];
    MODEL(reset)(&m->t, m->x, m->u, m->p, &which, x);
    if (is_number(x, NX)) memcpy(m->x, x, sizeof x);
    ends = is_terminal[k];
#endif
    look(m, m->t, m->x, m->g);
    return ends;
}

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
    Model *m = c;
    Real rates[NX], y[AT_LEAST_ONE(NY)];
    int has_rates = 0, has_outputs = 0;
    for (size_t i = 0; i < n; ++i) {
        long k = r[i];
        if (k == 0) { value[i] = m->t; continue; }
        if ((k -= 1) < NX) { value[i] = m->x[k]; continue; }
        if ((k -= NX) < NX) {
            if (!has_rates) MODEL(rates)(&m->t, m->x, m->u, m->p, rates);
            has_rates = 1, value[i] = rates[k];
            continue;
        }
        if ((k -= NX) < NU) { value[i] = m->u[k]; continue; }
        if ((k -= NU) < NP) { value[i] = m->p[k]; continue; }
        if ((k -= NP) >= NY) return ERROR_;
#if NY > 0
        if (!has_outputs) MODEL(outputs)(&m->t, m->x, m->u, m->p, y);
#endif
        has_outputs = 1, value[i] = y[k];
    }
    return OK;
}
EXPORT Status fmi2SetReal(Component c, const Reference r[], size_t n, const Real value[]) {
    Model *m = c;
    for (size_t i = 0; i < n; ++i) {
        long k = (long)r[i] - 1;
        if (!isfinite(value[i])) return ERROR_;
        if (k < 0) return ERROR_;
        if (k < NX) { m->x[k] = value[i]; continue; }
        if ((k -= 2 * NX) < 0) return ERROR_;
        if (k < NU) { m->u[k] = value[i]; continue; }
        if ((k -= NU) >= NP) return ERROR_;
        m->p[k] = value[i];
    }
    return OK;
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
    if (*s == NULL) *s = malloc(sizeof(Model));
    if (*s == NULL) return ERROR_;
    memcpy(*s, c, sizeof(Model));
    return OK;
}
EXPORT Status fmi2SetFMUstate(Component c, Saved s) {
    memcpy(c, s, sizeof(Model));
    return OK;
}
EXPORT Status fmi2FreeFMUstate(Component c, Saved *s) {
    (void)c;
    free(*s);
    *s = NULL;
    return OK;
}
EXPORT Status fmi2SerializedFMUstateSize(Component c, Saved s, size_t *size) {
    (void)c, (void)s;
    *size = sizeof(Model);
    return OK;
}
EXPORT Status fmi2SerializeFMUstate(Component c, Saved s, Byte bytes[], size_t size) {
    (void)c;
    if (size < sizeof(Model)) return ERROR_;
    memcpy(bytes, s, sizeof(Model));
    return OK;
}
EXPORT Status fmi2DeSerializeFMUstate(Component c, const Byte bytes[], size_t size,
                                      Saved *s) {
    (void)c;
    if (size < sizeof(Model)) return ERROR_;
    if (*s == NULL) *s = malloc(sizeof(Model));
    if (*s == NULL) return ERROR_;
    memcpy(*s, bytes, sizeof(Model));
    return OK;
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
    Model *m = c;
    Real g[AT_LEAST_ONE(NE)];
    memset(info, 0, sizeof *info);
    look(m, m->t, m->x, g);
    int k = passed(m->g, g);
    if (k >= 0) {
        info->terminate_simulation = happen(m, k);
        info->values_changed = 1;
    }
    if (m->is_settling) {
        settle(m);
        m->is_settling = 0;
        info->values_changed = 1;
    }
    return OK;
}
EXPORT Status fmi2EnterContinuousTimeMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2CompletedIntegratorStep(Component c, Boolean no_set_state,
                                          Boolean *enter_event_mode, Boolean *terminate) {
    Model *m = c;
    (void)no_set_state;
    *enter_event_mode = *terminate = 0;
#if HAS_MANIFOLD
    Real x[NX], most = 0;
    MODEL(settled)(&m->t, m->x, m->u, m->p, x);
    for (int k = 0; k < NX; ++k) most = fmax(most, fabs(x[k] - m->x[k]));
    if (most > SETTLES_AT) *enter_event_mode = m->is_settling = 1;
#endif
    Real g[AT_LEAST_ONE(NE)];
    look(m, m->t, m->x, g);
    /* A step without a crossing: what it ends with is where the next one begins. */
    if (passed(m->g, g) < 0) memcpy(m->g, g, NE * sizeof(Real));
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

static int advance(const Model *m, Real t, const Real *x, Real h, Real *end) {
    MODEL(step)(&t, x, m->u, m->p, &h, end);
    return is_number(end, NX);
}

/* One step from t, cut at the first event in it; how long it was, or -1. */
static Real one_step(Model *m, Real t, Real h, int *event) {
    Real x[NX], g[AT_LEAST_ONE(NE)];
    *event = -1;
    if (!advance(m, t, m->x, h, x)) return -1;
    look(m, t + h, x, g);
    if (passed(m->g, g) >= 0) {
        Real low = 0, high = h;
        for (int k = 0; k < 60 && high - low > 1e-15 * (fabs(t) + h); ++k) {
            Real middle = 0.5 * (low + high);
            if (!advance(m, t, m->x, middle, x)) return -1;
            look(m, t + middle, x, g);
            if (passed(m->g, g) >= 0) high = middle;
            else low = middle;
        }
        if (!advance(m, t, m->x, high, x)) return -1;
        look(m, t + high, x, g);
        *event = passed(m->g, g);
        h = high;
    }
    memcpy(m->x, x, sizeof x);
    memcpy(m->g, g, NE * sizeof(Real));
    m->t = t + h;
    return h;
}

EXPORT Status fmi2DoStep(Component c, Real t, Real h, Boolean no_set_state) {
    Model *m = c, before = *m;
    Real end = t + h;
    int events = 0;
    (void)no_set_state;
    m->t = t;
    while (end - m->t > 1e-12 * fmax(fabs(end), h)) {
        Real left = end - m->t;
        Real part = left / ceil(left / LONGEST - 1e-9);
        int event;
        Real done = one_step(m, m->t, part, &event);
        if (done < 0 || ++events > 10000000) {
            *m = before;
            return DISCARD;
        }
        if (event >= 0 && happen(m, event)) return DISCARD;
    }
    m->t = end;
    return OK;
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
